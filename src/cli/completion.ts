/** `treasury completion bash|zsh|fish`: a script made from the nouns and their verbs. */
import { EXIT, invalidField, TreasuryError } from '../errors.js';
import type { Noun } from '../operation/define.js';
import type { Call } from './call.js';
import { globalFlagWords } from './flags.js';
import { faceOf, verbOf } from './fields.js';

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

/** Commands and verbs that are no operations. */
export type OwnWords = {
  readonly commands: readonly (Own & { readonly verbs?: readonly Own[]; readonly words?: readonly Own[] })[];
  /** Of the nouns, by noun. */
  readonly verbs: Readonly<Record<string, readonly Own[]>>;
};

type Own = { readonly name: string; readonly summary: string };

const toVerb = ({ name, summary }: Own): Verb => ({ verb: name, summary });

const wordsOf = async (nouns: readonly Noun[], { commands, verbs }: OwnWords): Promise<readonly Words[]> => [
  ...(await Promise.all(
    nouns.map(async (noun) => ({
      noun: noun.noun,
      summary: noun.summary,
      verbs: [...(await verbsOf(noun)), ...(verbs[noun.noun] ?? []).map(toVerb)],
    })),
  )),
  ...commands.map(({ name, summary, verbs: own = [], words = [] }) => ({
    noun: name,
    summary,
    verbs: [...own, ...words].map(toVerb),
  })),
];

/** What can stand after some words, and where: verbs of two words (`spend create`) come one word at a time. */
type Choice = { readonly after: readonly string[]; readonly verbs: readonly Verb[] };

const choicesOf = ({ noun, verbs }: Words): readonly Choice[] => {
  const groups = new Map<string, Verb[]>();
  const first: Verb[] = [];
  for (const { verb, summary } of verbs) {
    const [word = verb, rest] = verb.split(' ');
    if (rest === undefined) first.push({ verb, summary });
    else groups.set(word, [...(groups.get(word) ?? []), { verb: rest, summary }]);
  }
  for (const [word, group] of groups)
    first.push({ verb: word, summary: group.map(({ verb }) => verb).join(', ') });
  return [
    ...(first.length === 0 ? [] : [{ after: [noun], verbs: first }]),
    ...[...groups].map(([word, group]) => ({ after: [noun, word], verbs: group })),
  ];
};

const listVerbs = (verbs: readonly Verb[]): string => verbs.map(({ verb }) => verb).join(' ');

const bashScript = (
  words: readonly Words[],
): string => `# treasury completion for bash: eval "$(treasury completion bash)"
_treasury() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [[ "$current" == -* ]]; then words="${globalFlagWords.join(' ')}"
  elif [[ $COMP_CWORD -eq 1 ]]; then words="${words.map(({ noun }) => noun).join(' ')}"
  else
    case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in
${words
  .flatMap(choicesOf)
  .map(({ after, verbs }) => `      "${after.join(' ')}") words="${listVerbs(verbs)}" ;;`)
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
  else
    case "\${words[2,CURRENT-1]}" in
${words
  .flatMap(choicesOf)
  .map(
    ({ after, verbs }) =>
      `      "${after.join(' ')}") items=(${verbs.map(({ verb, summary }) => zshItem(verb, summary)).join(' ')}) ;;`,
  )
  .join('\n')}
      *) _files; return ;;
    esac
  fi
  _describe treasury items
}
compdef _treasury treasury`;

/** True in fish while nothing but these words stands before the cursor's. */
const seenExactly = (after: readonly string[]): string =>
  `test "$(commandline -opc | tail -n +2 | string join ' ')" = "${after.join(' ')}"`;

const fishScript = (words: readonly Words[]): string =>
  [
    '# treasury completion for fish: treasury completion fish | source',
    ...words.flatMap((word) => [
      `complete -c treasury -f -n __fish_use_subcommand -a ${word.noun} -d ${quote(word.summary)}`,
      ...choicesOf(word).flatMap(({ after, verbs }) =>
        verbs.map(
          ({ verb, summary }) =>
            `complete -c treasury -f -n ${quote(seenExactly(after))} -a ${verb} -d ${quote(summary)}`,
        ),
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
 * Prints the completion script of a shell. `own` are the commands and verbs that are no operations.
 *
 * @throws missing_value, invalid_input
 */
export const printCompletion = async (
  { environment, output }: Call,
  shell: string | undefined,
  own: OwnWords,
): Promise<number> => {
  if (shell === undefined) throw new TreasuryError('missing_value', { flag: 'A shell (bash, zsh or fish)' });
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const message = `"${shell}" is no shell that completion is known for: expected bash, zsh or fish`;
    throw invalidField('', message);
  }
  output.data(script(await wordsOf(environment.nouns, own)));
  return EXIT.done;
};
