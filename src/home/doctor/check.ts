/** What a check of the doctor is, what it finds, and how it says so. Each is run by itself: one that throws stops no other. */
import { isTreasuryError, messageOf, type ErrorCode } from '../../errors.js';
import type { Context } from '../../operation/context.js';

import type { Collection } from '../../operation/ports/store.js';
import type { Surroundings } from '../../operation/ports/surroundings.js';
import type { KnownAction } from '../step-command.js';
import type { Deployable } from '../../record/deployable.js';

/** What the doctor is made for. */
export type Scope = {
  readonly deployables: readonly Deployable[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collections: readonly Collection<any>[];
  /** Every whole step of the command line, with its noun. */
  readonly actions: readonly KnownAction[];
};

/** What a check looks at. */
export type Subject = {
  readonly context: Context;
  readonly surroundings: Surroundings;
  readonly scope: Scope;
  /** Why the chain does not answer; null when it does. */
  readonly chainFailure: unknown;
};

/** What a check needs before it can look. */
export type Need = 'folder' | 'store' | 'chain';

export type Check = {
  readonly name: string;
  readonly needs: readonly Need[];
  /** True: left out when the doctor is to be quick. */
  readonly isSlow?: boolean;
  readonly look: (subject: Subject) => Promise<readonly Finding[]> | readonly Finding[];
};

export const STATES = ['ok', 'warning', 'problem'] as const;
export type State = (typeof STATES)[number];

/** One thing that was looked at. `advice` says what to do; it is null when nothing is wrong. */
export type Finding = {
  readonly state: State;
  readonly detail: string;
  readonly advice: string | null;
};

/** A finding that all is well. */
export const ok = (detail: string): Finding => ({ state: 'ok', detail, advice: null });

/** A finding that something wants attention, while everything still works. */
export const warning = (detail: string, advice: string): Finding => ({ state: 'warning', detail, advice });

/** A finding that something does not work. */
export const problem = (detail: string, advice: string): Finding => ({ state: 'problem', detail, advice });

const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  store_too_new: 'upgrade treasury',
  store_unreachable: 'look whether the database runs and can be reached from here',
  database_refused: 'check TREASURY_DATABASE_URL, and what its role may do',
  store_not_migrated: 'run `treasury database migrate`',
  other_chain: 'name another database in TREASURY_DATABASE_URL, or work where that chain is',
  store_locked: 'end that process if it hangs, then try again',
  chain_unavailable: 'check the network, and the servers in TREASURY_ELECTRUM if it is set',
  server_disagrees:
    'take the server that is wrong out of TREASURY_ELECTRUM, or name a block that you trust with --checkpoint',
  authority_missing: 'run `treasury init`',
  invalid_setting: '`treasury config list --show-origin` shows every setting and where it comes from',
};

/** A problem made of what was thrown, with the error's own advice where it has one. */
export const problemOf = (error: unknown): Finding => {
  if (!isTreasuryError(error)) return problem(messageOf(error), 'mend that, then ask again');
  const { code, details } = error;
  const { remedy } = details;
  return problem(
    error.message,
    typeof remedy === 'string' ? remedy : (ADVICE[code] ?? 'mend that, then ask again'),
  );
};

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A span of seconds for people, in its largest whole unit: `3 hours`. */
export const spanText = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds));
  const [name, size] = UNITS.find(([, unit]) => whole >= unit) ?? (['second', 1] as const);
  return countText(Math.floor(whole / size), name);
};

/** How many of something: `1 coin`, `2 coins`. */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const MEGABYTE = 1_000_000;
const GIGABYTE = 1_000_000_000;

/** Bytes for people: `12 bytes`, `34 kB`, `5.6 MB`, `7.8 GB`. */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < MEGABYTE) return `${Math.round(bytes / 1_000)} kB`;
  if (bytes < GIGABYTE) return `${(bytes / MEGABYTE).toFixed(1)} MB`;
  return `${(bytes / GIGABYTE).toFixed(1)} GB`;
};

/** A word as a shell takes it: a label without its `#`, in quotes where it needs them. */
export const shellWord = (word: string): string => {
  const bare = word.replace(/^#(?=[A-Z]+-\d)/, '');
  return /^[\w./:@%+=,-]+$/.test(bare) ? bare : `'${bare.replaceAll("'", `'\\''`)}'`;
};

/** The first few of a list, and how many more there are. */
export const listText = (items: readonly string[], most = 5): string => {
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
};
