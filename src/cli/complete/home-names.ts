/**
 * The names of a home, in a file beside its store: wallets, contacts, tokens, labels. Completion answers from it, since no
 * store is opened in the time between two keys. It may be late, and nothing but completion reads it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A name, and what is said of it. */
export type NamedThing = readonly [name: string, about: string];

export type HomeNames = {
  readonly wallets: readonly NamedThing[];
  /** Without `@`. */
  readonly contacts: readonly NamedThing[];
  /** What stands for an address: wallets, and contacts with their `@`. */
  readonly parties: readonly NamedThing[];
  /** By category. */
  readonly tokens: readonly NamedThing[];
  /** By noun, the newest first, as a shell takes them. */
  readonly labels: Readonly<Record<string, readonly NamedThing[]>>;
};

export const NO_NAMES: HomeNames = { wallets: [], contacts: [], parties: [], tokens: [], labels: {} };

/** A home on a network. */
export type NamedHome = { readonly home: string; readonly network: string };

/** Where the names of a home on a network lie. */
export const namesFile = ({ home, network }: NamedHome): string => join(home, network, 'completion.json');

/** What changes when a name does. */
const SOURCES = ['treasury.json', 'treasury.journal', 'keystore.json'];

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Only the first question waits at all; a large home on a busy machine takes seconds. */
const PATIENCE_MS = 15_000;

const refreshWords = ({ home, network }: NamedHome): readonly string[] => [
  ...process.execArgv,
  process.argv[1] ?? '',
  '__complete',
  '--refresh',
  home,
  network,
];

/** Writes the names anew in a process of its own, and does not wait for it. */
export const refreshLater = (named: NamedHome): void => {
  spawn(process.execPath, refreshWords(named), { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
};

/** What every shell takes as one word, and runs or replaces nothing of: bash puts it on the line as it stands. */
const SHELL_WORD = /^[\w@][\w@.:+-]*$/;
/** Nothing that cannot be seen: some shells write it to the terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

/** Whoever made the home may have written the file: only names are read from it. */
const thingsIn = (list: unknown): readonly NamedThing[] =>
  (Array.isArray(list) ? list : []).flatMap((thing: unknown) => {
    const [name, about] = (Array.isArray(thing) ? thing : []) as readonly unknown[];
    if (typeof name !== 'string' || !SHELL_WORD.test(name)) return [];
    const said = typeof about === 'string' ? about.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '') : '';
    return [[name, said] as const];
  });

const readNames = (file: string): HomeNames | null => {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    const { wallets, contacts, parties, tokens } = read;
    const labels = Object.entries(read['labels'] ?? {});
    return {
      wallets: thingsIn(wallets),
      contacts: thingsIn(contacts),
      parties: thingsIn(parties),
      tokens: thingsIn(tokens),
      labels: Object.fromEntries(labels.map(([noun, list]) => [noun, thingsIn(list)])),
    };
  } catch {
    return null;
  }
};

/** True for names that something has happened since. */
const isLate = (named: NamedHome): boolean => {
  const written = changedAt(namesFile(named));
  return SOURCES.some((name) => changedAt(join(named.home, named.network, name)) > written);
};

/** True where somebody completes names, and they have changed. */
export const wantsNames = (named: NamedHome): boolean => changedAt(namesFile(named)) > 0 && isLate(named);

/** The names of a home. The first time they are looked up; later they are as they were last, and looked up for the next time. */
export const namesOf = (named: NamedHome): HomeNames => {
  const file = namesFile(named);
  const known = readNames(file);
  if (known !== null) {
    if (isLate(named)) refreshLater(named);
    return known;
  }
  // A home that is not there is not made for a name.
  if (changedAt(join(named.home, named.network)) === 0) return NO_NAMES;
  spawnSync(process.execPath, refreshWords(named), { stdio: 'ignore', timeout: PATIENCE_MS });
  return readNames(file) ?? NO_NAMES;
};
