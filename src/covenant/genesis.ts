/**
 * Genesis: the funding transaction that mints a thread (or, in a batch, several), and its audit.
 * Source: docs/design/covenants.md, rule 11.
 */
import { sumTokens, type Output } from '../bch/coins.js';
import { THREAD_DUST, type Transaction } from '../bch/transaction.js';
import { threadOutput, type ThreadPointer } from './thread.js';

/** One thread that a funding transaction must mint, with its pool. */
export type GenesisMember = {
  /** Hex. */
  readonly lockingBytecode: string;
  /** The first state, hex. */
  readonly commitment: string;
  /** The pool in the smallest unit. */
  readonly pool: bigint;
  /** Null: the pool is BCH in the thread's own output. */
  readonly token: {
    readonly category: string;
    /** The reserve's locking bytecode for a thread category, hex. */
    readonly reserveLock: (threadCategory: string) => string;
  } | null;
};

/** One check in words. */
export type Finding = { readonly check: string; readonly ok: boolean; readonly detail: string };

export type GenesisAudit = {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** The minted threads in the order of the members; empty unless `ok`. */
  readonly threads: readonly ThreadPointer[];
};

/**
 * The outputs that funding promises: the threads first, then their reserves. The builder makes them, the audit finds
 * them.
 *
 * @example
 * genesisOutputs([genesis], coin.txid, 1_000n).length; // 1
 */
export const genesisOutputs = (
  members: readonly GenesisMember[],
  category: string,
  reserveDust: bigint,
): Output[] => [
  ...members.map((member) =>
    threadOutput(
      member.lockingBytecode,
      category,
      member.commitment,
      member.token === null ? member.pool : 0n,
    ),
  ),
  ...members.flatMap((member) =>
    member.token === null
      ? []
      : [
          {
            lockingBytecode: member.token.reserveLock(category),
            satoshis: reserveDust,
            token: { category: member.token.category, amount: member.pool },
          },
        ],
  ),
];

const threadIndex = (outputs: readonly Output[], member: GenesisMember, category: string): number =>
  outputs.findIndex(
    ({ lockingBytecode, token }) =>
      lockingBytecode === member.lockingBytecode &&
      token?.category === category &&
      token.amount === 0n &&
      token.nft?.capability === 'mutable' &&
      token.nft.commitment === member.commitment,
  );

const poolFinding = (
  transaction: Transaction,
  member: GenesisMember,
  thread: Output,
  category: string,
): Finding => {
  const check = 'pool';
  if (member.token === null) {
    const expected = member.pool + THREAD_DUST;
    return {
      check,
      ok: thread.satoshis === expected,
      detail: `the thread's output holds ${thread.satoshis} satoshis; ${expected} are expected`,
    };
  }
  const reserveLock = member.token.reserveLock(category);
  const reserves = transaction.outputs.filter(({ lockingBytecode }) => lockingBytecode === reserveLock);
  const held = sumTokens(reserves, member.token.category);
  const clean = reserves.length === 1 && reserves.every(({ token }) => token?.nft === undefined);
  return {
    check,
    ok: clean && held === member.pool,
    detail: `${reserves.length} reserve outputs hold ${held} tokens; one with ${member.pool} is expected`,
  };
};

/**
 * Audits a funding transaction: some input spends outpoint (category, 0), so every token of the category is minted
 * here; the outputs carry exactly the expected threads and nothing else of that category; each pool is exact.
 *
 * @example
 * const { payment: unsigned } = buildFunding({ payer: alice.address, payerCoins: [coin], members: [genesis] });
 * auditGenesis(mined(unsigned).transaction, [genesis]).ok; // true
 * auditGenesis(mined(payment).transaction, [genesis]).ok; // false
 */
export const auditGenesis = (transaction: Transaction, members: readonly GenesisMember[]): GenesisAudit => {
  const first = members[0];
  const category = transaction.outputs.find(
    ({ lockingBytecode, token }) => lockingBytecode === first?.lockingBytecode && token?.nft !== undefined,
  )?.token?.category;
  if (category === undefined) {
    const finding = { check: 'thread', ok: false, detail: 'no output at the covenant carries a thread' };
    return { ok: false, findings: [finding], threads: [] };
  }
  const indexes = members.map((member) => threadIndex(transaction.outputs, member, category));
  const minted = transaction.outputs.filter(({ token }) => token?.category === category).length;
  const places = new Set(members.map(({ lockingBytecode }) => lockingBytecode));
  const distinct =
    new Set(indexes).size === indexes.length && !indexes.includes(-1) && places.size === members.length;
  const findings: Finding[] = [
    {
      check: 'minted here',
      ok: transaction.inputs.some(({ txid, vout }) => txid === category && vout === 0),
      detail: `an input must spend ${category}:0, so that no token of the category existed before`,
    },
    {
      check: 'thread',
      ok: distinct,
      detail: distinct
        ? 'each covenant has its thread: mutable, with the expected state and no token amount'
        : 'a covenant lacks its thread, has two, or its capability, state or token amount is another',
    },
    {
      check: 'nothing else of the category',
      ok: minted === members.length,
      detail: `${minted} outputs carry the category; ${members.length} are expected`,
    },
    ...members.flatMap((member, index) => {
      const thread = transaction.outputs[indexes[index] ?? -1];
      return thread === undefined ? [] : [poolFinding(transaction, member, thread, category)];
    }),
  ];
  const ok = findings.every((finding) => finding.ok);
  const threads = ok
    ? members.map(({ commitment }, index) => ({
        category,
        txid: transaction.txid,
        vout: indexes[index] ?? 0,
        commitment,
      }))
    : [];
  return { ok, findings, threads };
};
