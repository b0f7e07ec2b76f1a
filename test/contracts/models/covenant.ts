/** What the covenants with a thread share: the rules of the design by their numbers, each once. */
import {
  bytesOf,
  categoryOf,
  commitmentOf,
  hash160Of,
  inputAt,
  MUTABLE,
  outputAt,
  payeeLock,
  scriptLock,
  tokensOf,
  type Coin,
  type Hex,
  type Law,
} from './vocabulary.js';

const FINAL = 0xffffffff;
/** Satoshis that a thread keeps beside its pool. */
export const THREAD_DUST = 1_000n;
/** Satoshis with which an output of tokens can be moved. */
export const FLOOR = 1_000n;
const MOST_OUTPUTS = 5;
const MOST_INPUTS = 3;
const BCH = '00'.repeat(32);

/** Rule 1: the thread is input 0, and no other input is read. */
export const threadOf = ({ call, must }: Law): Coin => {
  must(call.at === 0, 'the thread is input 0');
  return inputAt(call, 0);
};

/** Rule 6: who acts has the key of the hash, and signs. What the signature covers is the signer's affair. */
export const signedBy = ({ call, must }: Law, role: string, hash: Hex): void => {
  const key = call.args[`${role}Key`] ?? '';
  must(hash160Of(key) === hash, `the ${role}'s key`);
  must(call.signatures[`${role}Sig`]?.by === key, `the ${role} signs`);
};

/** Rule 4: the time is the locktime, and the locktime is in force, even where a pause has stopped time. */
export const timeOf = ({ call, must }: Law): bigint => {
  must(call.transaction.inputs[call.at]?.sequence !== FINAL, 'the locktime is in force');
  return BigInt(call.transaction.locktime);
};

/** Below it a locktime is a block's height, and no time (BIP65). */
const FIRST_TIME = 500_000_000n;

/**
 * The time where a move gives it to the state, or the authority vouches for it: a block's height is none. (The design names
 * the attack and not where it is met: here, and where a lower time than any date can help nobody it is not.)
 */
export const witnessedTimeOf = (law: Law): bigint => {
  const now = timeOf(law);
  law.must(now >= FIRST_TIME, 'the locktime is a time');
  return now;
};

/** Rule 4: in PAUSED, time is when the pause began. */
export const stoodAt = (
  { status, pausedAt }: { readonly status: bigint; readonly pausedAt: bigint },
  now: bigint,
): bigint => (status === PAUSED ? pausedAt : now);

/** In what the pool is. */
export const isInBch = ({ terms }: Law): boolean => bytesOf(terms, 'tokenCategory') === BCH;

/** The address of a thread's reserve, by the thread's category and its covenant's lock. */
export const reserveLockOf = (thread: Coin): Hex =>
  scriptLock(`23${thread.lock}20${thread.token?.category ?? ''}00ce7c517e8800c787`);

/** What an output promises. Null: whoever signs decides where it goes. */
export type Promise = { readonly to: Hex | null; readonly amount: bigint; readonly satoshis: bigint };

/** Rule 17: an output of tokens is promised whole. */
export const holdsTokens = (law: Law, at: number, what: string, promise: Promise): void => {
  const { terms, call, must } = law;
  const output = outputAt(call, at);
  if (promise.to !== null) must(output.lock === promise.to, `${what}: its lock`);
  must(categoryOf(output) === bytesOf(terms, 'tokenCategory'), `${what}: its category`);
  must(tokensOf(output) === promise.amount, `${what}: its tokens`);
  must(commitmentOf(output) === '', `${what}: no NFT`);
  must(output.satoshis >= promise.satoshis, `${what}: satoshis to move it`);
};

/** Rule 17: an output of BCH, of at least so much or of exactly so much, and nothing else. */
export const holdsBch = (
  { call, must }: Law,
  at: number,
  what: string,
  { to, satoshis, isExact }: { to: Hex | null; satoshis: bigint; isExact: boolean },
): void => {
  const output = outputAt(call, at);
  if (to !== null) must(output.lock === to, `${what}: its lock`);
  must(isExact ? output.satoshis === satoshis : output.satoshis >= satoshis, `${what}: its satoshis`);
  must(categoryOf(output) === '', `${what}: no token`);
};

/** What is owed to somebody who does not sign: in BCH it can be raised to dust, in tokens it is exact (rule 3). */
export const paysOwed = (law: Law, at: number, to: Hex, amount: bigint): void => {
  if (isInBch(law)) holdsBch(law, at, 'payout', { to, satoshis: amount, isExact: false });
  else holdsTokens(law, at, 'payout', { to, amount, satoshis: FLOOR });
};

/** Rule 2: output 0 is the thread with exactly the new state. */
const staysWith = ({ call, must }: Law, state: Hex): { readonly before: Coin; readonly after: Coin } => {
  const [before, after] = [inputAt(call, 0), outputAt(call, 0)];
  must(after.lock === before.lock, 'the thread stays at the covenant');
  must(categoryOf(after) === categoryOf(before), 'the thread keeps its category and capability');
  must(commitmentOf(after) === state, 'the thread carries the new state');
  return { before, after };
};

/**
 * Rule 2: the thread goes on, with exactly what is left (of tokens' threads: no less than they had).
 *
 * @param out satoshis that leave the thread; below zero when more come in
 */
export const goesOn = (law: Law, state: Hex, out: bigint): void => {
  const { before, after } = staysWith(law, state);
  if (isInBch(law)) law.must(after.satoshis === before.satoshis - out, 'the thread keeps what is left');
  else law.must(after.satoshis >= before.satoshis, 'the thread keeps its satoshis');
};

/**
 * Rule 2: output 1 is the reserve with what the state says the pool still owes; when that is nothing, there is none.
 *
 * @returns the index at which payouts begin
 */
export const keepsReserve = (law: Law, remaining: bigint, satoshis = FLOOR): number => {
  if (isInBch(law) || remaining === 0n) return 1;
  const to = reserveLockOf(inputAt(law.call, 0));
  holdsTokens(law, 1, 'reserve', { to, amount: remaining, satoshis });
  return 2;
};

/**
 * Rule 2: a move that pays nothing changes nothing but the state, its satoshis neither, and keeps the reserve closed: of any
 * pool, though BCH has no reserve.
 */
export const keepsAll = (law: Law, state: Hex): void => {
  const { call, must } = law;
  const { before, after } = staysWith(law, state);
  must(after.satoshis === before.satoshis, 'the thread keeps all');
  const [, ...others] = call.transaction.inputs;
  must(call.transaction.inputs.length <= MOST_INPUTS, 'at most a fee coin and a ticket join');
  must(
    others.every(({ coin }) => categoryOf(coin) === ''),
    'what joins carries no token',
  );
};

/** Rule 3: an end leaves no thread behind. */
export const ends = ({ call, must }: Law): void => {
  const { outputs } = call.transaction;
  const thread = (inputAt(call, 0).token?.category ?? '') + MUTABLE;
  must(outputs.length <= MOST_OUTPUTS, 'an end has at most five outputs');
  must(
    outputs.every((output) => categoryOf(output) !== thread),
    'no output carries the thread',
  );
};

/** Whether a flag of a state is set. */
export const hasFlag = (flags: bigint, flag: bigint): boolean => (flags & flag) !== 0n;
export const CANCELABLE = 1n;
export const TRANSFERABLE = 2n;
export const REFILLABLE = 4n;

/** The values of a status. */
export const ACTIVE = 0n;
export const PAUSED = 1n;

/** Where a recipient is paid. */
export const recipientLock = ({ recipient }: { readonly recipient: Hex }): Hex => payeeLock(recipient);
