import { AppError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';

/** What each shell evaluates: it asks `convctl __complete` about the words before the cursor. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: String.raw`_convctl() {
  local value description
  COMPREPLY=()
  while IFS=$'\t' read -r value description; do
    case $value in
      :*) ;;
      */) COMPREPLY+=("$value"); compopt -o nospace ;;
      *) COMPREPLY+=("$value") ;;
    esac
  done < <(convctl __complete "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _convctl convctl
`,
  zsh: String.raw`#compdef convctl
_convctl() {
  local value description
  local -a plain open
  while IFS=$'\t' read -r value description; do
    case $value in
      :*) ;;
      */) open+=("$value") ;;
      *) plain+=("${'$'}{value//:/\\:}:$description") ;;
    esac
  done < <(convctl __complete "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#plain )) && _describe convctl plain
  (( $#open )) && compadd -S '' -- $open
}
compdef _convctl convctl
[[ $funcstack[1] == _convctl ]] && _convctl
`,
  fish: `function __convctl_complete
    convctl __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ':*'
end
complete -c convctl -f -a '(__convctl_complete)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName convctl -ScriptBlock {
  param($word, $ast, $position)
  $before = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
  $current = if ($word) { $word } else { '""' }
  convctl __complete @before $current 2>$null | Where-Object { $_ -notlike ':*' } | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
  }
}
`,
};

export const completion = defineCommand({
  name: 'completion',
  group: 'Other',
  summary: 'print a script that lets a shell complete commands, flags, values and files',
  description:
    'For kubectl, put an executable file kubectl_complete-conv into the PATH that runs: kubectl conv __complete "$@"',
  args: { shell: { summary: Object.keys(SCRIPTS).join(', '), required: true, suggestions: Object.keys(SCRIPTS) } },
  flags: {},
  examples: [
    { what: 'bash, now and in later shells', command: 'completion bash >> ~/.bashrc && source ~/.bashrc' },
    { what: 'zsh, for a folder of the fpath', command: 'completion zsh > ~/.zfunc/_convctl' },
    { what: 'fish', command: 'completion fish > ~/.config/fish/completions/convctl.fish' },
    { what: 'PowerShell', command: 'completion powershell >> $PROFILE' },
  ],
  async run({ args }, { out }) {
    const script = Object.hasOwn(SCRIPTS, args.shell) ? SCRIPTS[args.shell] : undefined;
    if (script === undefined) {
      throw new AppError('BAD_REQUEST', `no shell ${args.shell}; there are: ${Object.keys(SCRIPTS).join(', ')}`);
    }
    out(script);
    return EXIT.ok;
  },
});
