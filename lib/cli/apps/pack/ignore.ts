/** The file in a package's folder that says what stays out of it, in the manner of `.gitignore`. */
export const IGNORE_FILE = '.roundhouseignore';

/** What is never meant. A line `!.env` of the file takes it in all the same. */
const ALWAYS = ['.git', '.hg', '.svn', '.DS_Store', '.env', '.env.*', IGNORE_FILE];

interface Rule {
  readonly folders: readonly Part<string>[];
  readonly takesIn: boolean;
  readonly foldersOnly: boolean;
}

/** Whether a path (with `/`, from the package's folder on) stays out. What is in a folder that does is not asked about. */
export type Ignores = (path: string, isFolder: boolean) => boolean;

/** Of the rules that fit a path the last one counts. */
export function parseIgnore(text: string): Ignores {
  const rules = [...ALWAYS, ...text.split(/\r?\n/)].flatMap(parseRule);
  return (path, isFolder) => {
    const names = path.split('/');
    const last = rules.findLast(({ folders, foldersOnly }) => (isFolder || !foldersOnly) && fits(folders, names));
    return last !== undefined && !last.takesIn;
  };
}

function parseRule(line: string): Rule[] {
  const text = line.replace(/(?<!\\)[ \t]+$/, '');
  if (text === '' || text.startsWith('#')) return [];
  const takesIn = text.startsWith('!');
  const whole = takesIn ? text.slice(1) : text;
  const foldersOnly = whole.endsWith('/');
  const glob = foldersOnly ? whole.slice(0, -1) : whole;
  // A slash before the end ties a pattern to the folder of the file; without one it fits a name anywhere.
  const names = glob.includes('/') ? glob.replace(/^\//, '').split('/') : ['**', glob];
  const parts = names.map((name): Part<string> => (name === '**' ? ANY : fitsName(name)));
  // What is in a folder, and not the folder.
  const folders = names.at(-1) === '**' ? [...parts, () => true] : parts;
  return [{ folders, takesIn, foldersOnly }];
}

/** `*` and `?` stay in a name, `[a-c]` and `[!a-c]` are sets, and `\` takes the next character as it is. */
const NAME_PARTS = /(?<star>\*+)|(?<one>\?)|\[(?<not>!?)(?<set>[^\]]+)\]|\\?(?<literal>.)/gsu;

function fitsName(glob: string): (name: string) => boolean {
  const parts = [...glob.matchAll(NAME_PARTS)].map(({ groups = {} }): Part<string> => {
    const { star, one, not, set, literal } = groups;
    if (star !== undefined) return ANY;
    if (one !== undefined) return () => true;
    if (set === undefined) return (character) => character === literal;
    const ranges = [...set.matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, only = '']) => [from ?? only, to ?? only]);
    const isIn = (character: string) => ranges.some(([from = '', to = '']) => from <= character && character <= to);
    return not === '!' ? (character) => !isIn(character) : isIn;
  });
  return (name) => fits(parts, [...name]);
}

/** Any number of things. */
const ANY = Symbol('any');
type Part<T> = typeof ANY | ((thing: T) => boolean);

/** Whether things are as a pattern says. Only the last `ANY` is ever widened, so no pattern takes long. */
function fits<T>(parts: readonly Part<T>[], things: readonly T[]): boolean {
  let [part, at] = [0, 0];
  let widen: { readonly part: number; readonly at: number } | undefined;
  while (at < things.length) {
    const wanted = parts[part];
    if (wanted === ANY) {
      part += 1;
      widen = { part, at: at + 1 };
    } else if (wanted?.(things[at] as T)) {
      part += 1;
      at += 1;
    } else if (widen !== undefined) {
      ({ part, at } = widen);
      widen = { part, at: at + 1 };
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === ANY);
}
