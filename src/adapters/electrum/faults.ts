/**
 * What is wrong with the transactions that servers show. An id names its bytes, so nobody can lie about what a
 * transaction spends; whether it may spend that is worked out here, and not asked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isCoinbase,
  toLibauthOutput,
  toLibauthTransaction,
  type Transaction,
} from '../../bch/transaction.js';
import { consensusRefusal } from '../../bch/virtual-machine.js';
import type { Output } from '../../bch/coins.js';
import { atOnce } from '../../operation/at-once.js';
import type { Log } from '../../operation/context.js';
import type { ChainPort } from '../../operation/ports/chain.js';

/** Where transactions come from. */
export type Shown = {
  /** Asks for the bytes of an id once; null when no server has them. */
  readonly transaction: (txid: string) => Promise<Transaction | null>;
  /** The URL of the server that questions go to. */
  readonly server: () => string | null;
  /** Asks another server from now on, where there is one. */
  readonly distrust: (reason: string) => void;
  readonly log: Log;
};

/** Parents that are asked for in one breath. */
const AT_ONCE = 50;
/** Verdicts that are kept: of an id there is only one. */
const MOST_KEPT = 20_000;

/**
 * Each call waits for a turn of the program of its own: what is read in one batch is not run in one go, so that whoever
 * asks meanwhile is answered between.
 */
const createTurns = () => {
  let last: Promise<void> = Promise.resolve();
  return (): Promise<void> => (last = last.then(() => nextTurn()));
};

/** A fault, and whether it is one for ever: what is missing may come. */
type Verdict = { readonly fault: string | null; readonly isFinal: boolean };

const FINE: Verdict = { fault: null, isFinal: true };

const readParents = async (
  txids: readonly string[],
  { transaction }: Pick<Shown, 'transaction'>,
): Promise<ReadonlyMap<string, Transaction | null>> => {
  const found = await atOnce(AT_ONCE, txids, transaction);
  return new Map(txids.map((txid, index) => [txid, found[index] ?? null]));
};

const judge = async (
  transaction: Transaction,
  height: number | null,
  { shown, turn }: { readonly shown: Pick<Shown, 'transaction'>; readonly turn: () => Promise<void> },
): Promise<Verdict> => {
  // What a coinbase may pay is a matter of its block.
  if (isCoinbase(transaction))
    return height === null ? { fault: 'it is a coinbase without a block', isFinal: false } : FINE;
  const txids = [...new Set(transaction.inputs.map(({ txid }) => txid))];
  const parents = await readParents(txids, shown);
  const spent: Output[] = [];
  for (const { txid, vout } of transaction.inputs) {
    const parent = parents.get(txid) ?? null;
    if (parent === null) return { fault: `it spends ${txid}:${vout}, which is not shown`, isFinal: false };
    const output = parent.outputs[vout];
    if (output === undefined) return { fault: `it spends ${txid}:${vout}, which never was`, isFinal: true };
    spent.push(output);
  }
  await turn();
  const fault = consensusRefusal({
    transaction: toLibauthTransaction(transaction),
    sourceOutputs: spent.map(toLibauthOutput),
  });
  return { fault, isFinal: true };
};

/**
 * Judges transactions, each once. A fault is said in the log with the server that shows it, and another server is asked
 * from then on.
 */
export const createFaults = (shown: Shown): ChainPort['faultOf'] => {
  const verdicts = new Map<string, Verdict>();
  const said = new Set<string>();
  const turn = createTurns();

  const keep = (txid: string, verdict: Verdict): void => {
    const [oldest] = verdicts.keys();
    if (verdicts.size >= MOST_KEPT && oldest !== undefined) verdicts.delete(oldest);
    verdicts.set(txid, verdict);
  };
  const say = (txid: string, reason: string, server: string | null): void => {
    if (said.has(txid)) return;
    said.add(txid);
    shown.log.warn(
      { event: 'chain.invalid_transaction', txid, reason, server },
      'an Electrum server shows a transaction that breaks the rules of the network: nothing of it is taken',
    );
  };

  return async ({ transaction, height }) => {
    const { txid } = transaction;
    const known = verdicts.get(txid);
    const verdict = known ?? (await judge(transaction, height, { shown, turn }));
    if (known === undefined && verdict.isFinal) keep(txid, verdict);
    const { fault, isFinal } = verdict;
    if (fault === null) return null;
    const server = shown.server();
    say(txid, fault, server);
    if (isFinal) shown.distrust(`shows ${txid}, which breaks the rules of the network`);
    return `${server ?? 'a server'} shows it, and ${fault.charAt(0).toLowerCase()}${fault.slice(1).replace(/\.$/, '')}`;
  };
};
