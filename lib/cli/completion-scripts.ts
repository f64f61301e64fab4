import { AppError } from '../errors.ts';
import { type Command, defineCommand } from './command.ts';
import { EXIT } from './exit-code.ts';
import type { Program } from './programs.ts';

/** What each shell evaluates: it asks `NAME __complete` about the words before the cursor. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: String.raw`_NAME() {
  local value description
  COMPREPLY=()
  while IFS=$'\t' read -r value description; do
    case $value in
      :*) ;;
      */) COMPREPLY+=("$value"); compopt -o nospace ;;
      *) COMPREPLY+=("$value") ;;
    esac
  done < <(NAME __complete "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _NAME NAME
`,
  zsh: String.raw`#compdef NAME
_NAME() {
  local value description
  local -a plain open
  while IFS=$'\t' read -r value description; do
    case $value in
      :*) ;;
      */) open+=("$value") ;;
      *) plain+=("${'$'}{value//:/\\:}:$description") ;;
    esac
  done < <(NAME __complete "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#plain )) && _describe NAME plain
  (( $#open )) && compadd -S '' -- $open
}
compdef _NAME NAME
[[ $funcstack[1] == _NAME ]] && _NAME
`,
  fish: `function __NAME_complete
    NAME __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ':*'
end
complete -c NAME -f -a '(__NAME_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName NAME -ScriptBlock {
  param($word, $ast, $position)
  $before = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
  $current = if ($word) { $word } else { '""' }
  NAME __complete @before $current 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
  }
}
`,
};

/**
 * The command that prints what a shell needs to complete a program's command lines.
 * @param description what else there is to do
 */
export function completionCommand(name: Program['name'], description?: string): Command {
  return defineCommand({
    name: 'completion',
    group: 'Other',
    summary: 'print a script that lets a shell complete commands, flags, values and files',
    ...(description !== undefined && { description }),
    args: { shell: { summary: Object.keys(SCRIPTS).join(', '), required: true, suggestions: Object.keys(SCRIPTS) } },
    flags: {},
    examples: [
      { what: 'bash, now and in later shells', command: 'completion bash >> ~/.bashrc && source ~/.bashrc' },
      { what: 'zsh, for a folder of the fpath', command: `completion zsh > ~/.zfunc/_${name}` },
      { what: 'fish', command: `completion fish > ~/.config/fish/completions/${name}.fish` },
      { what: 'PowerShell', command: 'completion powershell >> $PROFILE' },
    ],
    async run({ args }, { out }) {
      const script = Object.hasOwn(SCRIPTS, args.shell) ? SCRIPTS[args.shell] : undefined;
      if (script === undefined) {
        throw new AppError('BAD_REQUEST', `no shell ${args.shell}; there are: ${Object.keys(SCRIPTS).join(', ')}`);
      }
      out(script.replaceAll('NAME', name));
      return EXIT.ok;
    },
  });
}
