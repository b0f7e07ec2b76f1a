/** `treasury completion bash|zsh|fish`: a script made from the nouns and their verbs. */
import { EXIT, TreasuryError } from '../errors.js';
import type { Noun } from '../operation/define.js';
import type { Call } from './call.js';
import { globalFlagWords } from './flags.js';
import { faceOf, verbOf } from './verbs.js';

type Verb = { readonly verb: string; readonly summary: string };
type Words = { readonly noun: string; readonly summary: string; readonly verbs: readonly Verb[] };

const verbsOf = async ({ noun, load }: Noun): Promise<readonly Verb[]> => {
  const { operations } = await load();
  const all = operations.flatMap((offer) => {
    if (!('kind' in offer))
      return faceOf(offer) === null ? [] : [{ verb: verbOf(offer), summary: offer.summary }];
    const { verb, summary, confirm } = offer;
    return [
      { verb, summary },
      ...(faceOf(confirm) === null ? [] : [{ verb: verbOf(confirm), summary: confirm.summary }]),
    ];
  });
  return all.filter(({ verb }) => verb !== noun);
};

const OWN_VERBS: Readonly<Record<string, readonly Verb[]>> = {
  config: [{ verb: 'list', summary: 'Show every setting' }],
  completion: ['bash', 'zsh', 'fish'].map((shell) => ({ verb: shell, summary: `For ${shell}` })),
  help: [{ verb: 'exit-codes', summary: 'What exit codes mean' }],
};

/** A command of the program itself. */
type Own = { readonly name: string; readonly summary: string };

const wordsOf = async (nouns: readonly Noun[], own: readonly Own[]): Promise<readonly Words[]> => [
  ...(await Promise.all(
    nouns.map(async (noun) => ({ noun: noun.noun, summary: noun.summary, verbs: await verbsOf(noun) })),
  )),
  ...own.map(({ name, summary }) => ({ noun: name, summary, verbs: OWN_VERBS[name] ?? [] })),
];

const listVerbs = (verbs: readonly Verb[]): string => verbs.map(({ verb }) => verb).join(' ');

const bashScript = (
  words: readonly Words[],
): string => `# treasury completion for bash: eval "$(treasury completion bash)"
_treasury() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [[ "$current" == -* ]]; then words="${globalFlagWords.join(' ')}"
  elif [[ $COMP_CWORD -eq 1 ]]; then words="${words.map(({ noun }) => noun).join(' ')}"
  elif [[ $COMP_CWORD -eq 2 ]]; then
    case "\${COMP_WORDS[1]}" in
${words
  .filter(({ verbs }) => verbs.length > 0)
  .map(({ noun, verbs }) => `      ${noun}) words="${listVerbs(verbs)}" ;;`)
  .join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _treasury treasury`;

/** In single quotes nothing is special but the quote itself. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** In zsh's lists a colon parts the word from what is said of it. */
const zshItem = (word: string, summary: string): string => quote(`${word}:${summary.replaceAll(':', '\\:')}`);

const zshScript = (words: readonly Words[]): string => `#compdef treasury
# treasury completion for zsh: eval "$(treasury completion zsh)"
_treasury() {
  local -a items
  if (( CURRENT == 2 )); then
    items=(${words.map(({ noun, summary }) => zshItem(noun, summary)).join(' ')})
  elif (( CURRENT == 3 )); then
    case "$words[2]" in
${words
  .filter(({ verbs }) => verbs.length > 0)
  .map(
    ({ noun, verbs }) =>
      `      ${noun}) items=(${verbs.map(({ verb, summary }) => zshItem(verb, summary)).join(' ')}) ;;`,
  )
  .join('\n')}
    esac
  else
    _files
    return
  fi
  _describe treasury items
}
compdef _treasury treasury`;

const fishScript = (words: readonly Words[]): string =>
  [
    '# treasury completion for fish: treasury completion fish | source',
    ...words.flatMap(({ noun, summary, verbs }) => [
      `complete -c treasury -f -n __fish_use_subcommand -a ${noun} -d ${quote(summary)}`,
      ...verbs.map(
        ({ verb, summary: about }) =>
          `complete -c treasury -f -n '__fish_seen_subcommand_from ${noun}' -a ${verb} -d ${quote(about)}`,
      ),
    ]),
    ...globalFlagWords.map((flag) => `complete -c treasury -l ${flag.slice(2)}`),
  ].join('\n');

const SCRIPTS: Readonly<Record<string, (words: readonly Words[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * Prints the completion script of a shell. `own` are the commands that are no operations.
 *
 * @throws missing_value, invalid_input
 */
export const printCompletion = async (
  { world, output }: Call,
  shell: string | undefined,
  own: readonly Own[],
): Promise<number> => {
  if (shell === undefined) throw new TreasuryError('missing_value', { flag: 'A shell (bash, zsh or fish)' });
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const message = `"${shell}" is no shell that completion is known for: expected bash, zsh or fish`;
    throw new TreasuryError('invalid_input', { summary: message, issues: [{ path: '', message }] });
  }
  output.data(script(await wordsOf(world.nouns, own)));
  return EXIT.done;
};
