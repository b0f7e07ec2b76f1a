/** `treasury completion bash|zsh|fish`: a script that asks the program itself what fits (`complete/answer.ts`). */
import { EXIT, invalidField, TreasuryError } from '../errors.js';
import type { Call } from './call.js';

/**
 * Bash parts words at `@`, `=` and `:` too, and replaces only what comes after the last of them: the line is parted at
 * blanks here, and of each answer that much is left out.
 */
const BASH = `# treasury completion for bash: eval "$(treasury completion bash)"
_treasury() {
  local line="\${COMP_LINE:0:COMP_POINT}" current before answers answer
  local -a words
  read -ra words <<<"$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  before="\${current%"\${current##*[@=:]}"}"
  COMPREPLY=()
  answers="$("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)"
  case "$answers" in
    :files | :folders)
      local IFS=$'\\n' kind=-f
      [[ "$answers" == :folders ]] && kind=-d
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen "$kind" -- "$current"))
      return ;;
  esac
  while IFS=$'\t' read -r answer _; do
    [[ -n "$answer" ]] && COMPREPLY+=("\${answer#"$before"}")
  done <<<"$answers"
}
complete -F _treasury treasury`;

const ZSH = `#compdef treasury
# treasury completion for zsh: eval "$(treasury completion zsh)"
_treasury() {
  local answers answer word about
  local -a items
  answers="$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"
  case "$answers" in
    :files) _files; return ;;
    :folders) _files -/; return ;;
  esac
  for answer in "\${(@f)answers}"; do
    word="\${answer%%$'\t'*}"
    about="\${answer#*$'\t'}"
    [[ -n "$word" ]] && items+=("\${word//:/\\:}:$about")
  done
  _describe treasury items
}
compdef _treasury treasury`;

const FISH = `# treasury completion for fish: treasury completion fish | source
function __treasury_complete
    set -l words (commandline -opc)
    set -l answers ($words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null)
    switch "$answers"
        case ':files'
            __fish_complete_path (commandline -ct)
        case ':folders'
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\n' $answers
    end
end
complete -c treasury -f -a '(__treasury_complete)'`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/**
 * Prints the completion script of a shell.
 *
 * @throws missing_value, invalid_input
 */
export const printCompletion = ({ output }: Call, shell: string | undefined): number => {
  if (shell === undefined) throw new TreasuryError('missing_value', { flag: 'A shell (bash, zsh or fish)' });
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const message = `"${shell}" is no shell that completion is known for: expected bash, zsh or fish`;
    throw invalidField('', message);
  }
  output.data(script);
  return EXIT.done;
};
