/**
 * Push: paying what is due without the payee. Nobody signs for the covenant: it pays the recipient in its state, exactly
 * what is due, and whoever builds the transaction pays the fee. Source: docs/design/covenants.md, "Push".
 */
import { hexToBin, hash160 } from '@bitauth/libauth';
import { addressOfHash, type Address } from '../bch/address.js';
import { most } from '../bch/amount.js';
import type { Network } from '../bch/network.js';
import { readInstructions } from '../bch/instructions.js';
import { PAYOUT_DUST, type Transaction } from '../bch/transaction.js';
import { loadArtifact } from './artifact.js';
import type { PinnedContract } from './covenant-contract.js';
import type { Finding } from './genesis.js';
import { buildPoolSpend, continuingOutputs, payoutOutput, type Pool, type PoolSpend } from './pool.js';
import type { UnsignedTransaction } from './spend.js';

/** The function's name in every contract that has it. */
const PUSH = 'push';

/**
 * True for a version of a contract that can be pushed.
 *
 * @example
 * hasPush({ name: 'stream', pinned: null }); // false
 */
export const hasPush = ({ name, pinned }: PinnedContract): boolean =>
  loadArtifact(name, pinned).abi.some((one) => one.name === PUSH);

/**
 * The last constructor parameter of a version that can be pushed; nothing for one before.
 *
 * @example
 * pushParameter({ name: 'stream', pinned: null }, 1_000n); // []
 */
export const pushParameter = (contract: PinnedContract, pushMinimum: bigint): readonly bigint[] =>
  hasPush(contract) ? [pushMinimum] : [];

/** A push minimum, and what it is held against. */
export type CheckedMinimum = {
  /** Smallest unit; 0: never. */
  readonly pushMinimum: bigint;
  readonly contract: PinnedContract;
  /** Null: BCH. */
  readonly tokenCategory: string | null;
  /** What is ever paid in all; null: there is no end. */
  readonly total: bigint | null;
};

/**
 * Checks a push minimum (rule 16): 0, or an amount that is an output of its own, and not more than there is ever to pay.
 *
 * @example
 * const newest = { name: 'stream', pinned: newestFingerprint('stream') };
 * const minimum = { contract: newest, tokenCategory: null, total: 5_000n };
 * checkPushMinimum({ ...minimum, pushMinimum: 546n }).ok; // true
 * checkPushMinimum({ ...minimum, pushMinimum: 545n }).ok; // false
 */
export const checkPushMinimum = ({
  pushMinimum,
  contract,
  tokenCategory,
  total,
}: CheckedMinimum): Finding => {
  const least = tokenCategory === null ? PAYOUT_DUST : 1n;
  const unit = tokenCategory === null ? 'satoshis' : 'of the smallest unit';
  const isKnown = pushMinimum === 0n || hasPush(contract);
  const isWithin = pushMinimum >= least && (total === null || pushMinimum <= total);
  const atMost = total === null ? '' : ` and at most ${total}, which is all that it ever pays`;
  return {
    check: 'pushMinimum',
    ok: pushMinimum === 0n || (isKnown && isWithin),
    detail: isKnown
      ? `${pushMinimum} must be 0 (it is never pushed), or at least ${least} ${unit}${atMost}`
      : `${pushMinimum} must be 0: this version of the contract knows no push`,
  };
};

/** What is due of a covenant at a moment, in the smallest unit, and whether it is the last that it ever pays. */
export type Due = { readonly due: bigint; readonly isLast: boolean };

/**
 * What a push pays of what is due: all of it, or nothing where that is below the minimum and not the last.
 *
 * @example
 * pushedOf({ due: 5n, isLast: false }, 6n); // 0n
 * pushedOf({ due: 5n, isLast: true }, 6n); // 5n
 */
export const pushedOf = ({ due, isLast }: Due, pushMinimum: bigint): bigint =>
  pushMinimum > 0n && due > 0n && (due >= pushMinimum || isLast) ? due : 0n;

/** What a product says of the records that may be pushed. */
export type PushRules<R> = {
  /** The contract that lies at the record's address. */
  readonly contract: (record: R) => PinnedContract;
  /** What is due of a record that is ACTIVE, at a moment of chain time. */
  readonly dueAt: (record: R, now: number) => Due;
};

/**
 * What a push of a record would pay now, smallest unit; 0: nothing, or it cannot be pushed.
 *
 * @param now chain now, unix seconds
 * @example
 * const newest = () => ({ name: 'stream', pinned: newestFingerprint('stream') });
 * const rules = { contract: newest, dueAt: () => ({ due: 5_000n, isLast: false }) };
 * pushableAmount(rules, { status: 'ACTIVE', push_minimum: 1_000n }, monday); // 5_000n
 * pushableAmount(rules, { status: 'PAUSED', push_minimum: 1_000n }, monday); // 0n
 */
export const pushableAmount = <R extends { readonly status: string; readonly push_minimum: bigint }>(
  { contract, dueAt }: PushRules<R>,
  record: R,
  now: number,
): bigint => {
  const { status, push_minimum: minimum } = record;
  if (status !== 'ACTIVE' || minimum === 0n || !hasPush(contract(record))) return 0n;
  return pushedOf(dueAt(record, now), minimum);
};

/** What is pushed, and how the covenant stands after it. */
export type Push = {
  /** Of the function, behind the thread's own. */
  readonly args: PoolSpend['call']['args'];
  /** The commitment of the new state; null: the thread ends. */
  readonly next: string | null;
  /** What stays in the pool, smallest unit. */
  readonly remaining: bigint;
  /** What is paid, smallest unit. */
  readonly amount: bigint;
  /** Locking bytecode of the recipient, hex. */
  readonly recipient: string;
};

/** Coins for the fee that the covenant lets join, by the pool's asset. */
const FEE_COINS = { bch: 2, tokens: 1 } as const;

/**
 * The transaction of a push. The payer signs for coins of their own, which pay the fee and the satoshis of a token output; at
 * the end the thread's satoshis, and those of its reserve, are the recipient's.
 *
 * @throws insufficient_funds when one coin of the payer (two in BCH) does not suffice
 * @example
 * const newest = { ...terms, artifactFingerprint: newestFingerprint('recurring-payment') };
 * const pool = recurringPool(newest, thread.category, 'local');
 * const recipient = bob.address.lockingBytecode;
 * const last = { args: [], next: null, remaining: 0n, amount: 5n, recipient };
 * const by = { ...spend, payer: alice.address, payerCoins: [coin] };
 * buildPush(pool, by, last).outputs[0].satoshis === threadCoin.satoshis; // true
 */
export const buildPush = (
  pool: Pool,
  spend: Pick<PoolSpend, 'coins' | 'payerCoins' | 'payer' | 'locktime'>,
  { args, next, remaining, amount, recipient }: Push,
): UnsignedTransaction => {
  const { thread, reserve } = spend.coins;
  const held = reserve.reduce((sum, { satoshis }) => sum + satoshis, 0n);
  const payout = payoutOutput(pool.tokenCategory, recipient, amount);
  const promised = (): PoolSpend['outputs'] => {
    if (next === null) return [{ ...payout, satoshis: thread.satoshis + held }];
    const { outputs } = continuingOutputs(pool, next, remaining);
    // Behind the thread lies the reserve, or where it is emptied the payout: that has the reserve's satoshis.
    return [...outputs, payout].map((output, index) =>
      index === 1 ? { ...output, satoshis: most(output.satoshis, held) } : output,
    );
  };
  return buildPoolSpend(pool, {
    ...spend,
    call: { name: PUSH, args },
    outputs: promised(),
    maximumFeeCoins: pool.tokenCategory === null ? FEE_COINS.bch : FEE_COINS.tokens,
  });
};

/**
 * Who paid the fee of a push: whose key unlocks its last input. Null where no key does, as before it is signed.
 *
 * @example
 * pusherOf(mined(payment).transaction, 'local'); // null
 */
export const pusherOf = ({ inputs }: Pick<Transaction, 'inputs'>, network: Network): Address | null => {
  const pushed = readInstructions(hexToBin(inputs.at(-1)?.unlockingBytecode ?? '')) ?? [];
  const [, key] = pushed;
  const isKey = pushed.length === 2 && key !== undefined && 'data' in key && key.data.length === 33;
  return isKey ? addressOfHash(hash160(key.data), network) : null;
};

/**
 * What the event of a payout tells of who pushed it; nothing where the recipient signed.
 *
 * @example
 * pushedBy(alice.address); // { pushedBy: alice.address.text }
 * pushedBy(null); // {}
 */
export const pushedBy = (pusher: Pick<Address, 'text'> | null): { readonly pushedBy?: string } =>
  pusher === null ? {} : { pushedBy: pusher.text };

/**
 * True for what the event of a push tells.
 *
 * @example
 * isPushed({ pushedBy: alice.address.text }); // true
 */
export const isPushed = (details: Readonly<Record<string, unknown>>): boolean =>
  typeof details['pushedBy'] === 'string';
