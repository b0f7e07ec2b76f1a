/** The home that version 0.1.0 left, as a copy of each test's own, and what those tests ask of it. */
import { readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { Person } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { reserveContract } from '../../src/covenant/reserve.js';
import type { CovenantRecord } from '../../src/record/deployable.js';
import { allDeployments } from '../../src/products/deployments/deployments.js';
import { recordAt } from '../../src/record/known-record.js';
import { localWorld } from '../chain-world.js';
import { openTreasury } from '../treasury.js';
import type { Json } from './client.js';

const HOME = new URL('../../fixtures/home-0.1.0', import.meta.url).pathname;

export type Row = CovenantRecord & Readonly<Record<string, unknown>>;
export type Noun = 'rewards' | 'budgets' | 'streams' | 'payments' | 'vaults' | 'governance';

/** What `deployments export` of that version wrote of it. */
export const exported = JSON.parse(readFileSync(`${HOME}/deployments.json`, 'utf8')) as {
  readonly records: Readonly<Record<string, readonly Row[]>>;
};

/** A copy of the home, opened, and what its tests ask of it. */
export const openOld = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t, localWorld, HOME);
  const { context, deployables } = treasury.app;
  const rows = async (noun: Noun, where: (row: Row) => boolean = () => true): Promise<readonly Row[]> =>
    (await allDeployments(deployables, context.store))
      .filter(({ deployable }) => deployable.module === noun)
      .map(({ record }) => record as Row)
      .filter(where)
      .reverse();
  const rowOf = async ({ contract_address: address }: Row): Promise<Row> => {
    const found = await recordAt(deployables, context.store, address);
    if (found === null) throw new Error(`there is no record at ${address} any more`);
    return found.record;
  };
  /** Builds, signs, sends and confirms a move of a record; returns the record after it. */
  const move = async (who: Person, noun: Noun, verb: string, row: Row, input: Json = {}): Promise<Row> => {
    const build = `${noun}.${verb === 'funding' ? 'funding-info' : verb}`;
    const terms = { id: row.id, ...input };
    let built = await treasury.ask(who, build, terms);
    if (built['requiresPreparation'] === true) {
      await treasury.send(who, built['preparationTransaction']);
      built = await treasury.ask(who, build, terms);
    }
    const txHash = await treasury.send(who, built['wcTransaction']);
    await treasury.ask(who, `${noun}.confirm-${verb}`, { ...terms, txHash });
    return rowOf(row);
  };
  /** Everything of an asset that lies at a covenant and in its reserve, smallest unit. */
  const left = async ({ contract_address: address }: Row, category: string | null): Promise<number> => {
    const { lockingBytecode } = parseAddress(address);
    const history = await context.chain.history(lockingBytecode);
    const coins = await context.chain.coins(lockingBytecode);
    if (category === null) return coins.length;
    const reserves = await Promise.all(
      history.map(async ({ txid }) => {
        const found = await context.chain.transaction(txid);
        const thread = found?.transaction.outputs.find(
          (output) => output.lockingBytecode === lockingBytecode,
        );
        if (thread?.token === undefined) return 0;
        const reserve = reserveContract(thread.token.category, lockingBytecode, 'local');
        return (await context.chain.coins(reserve.lockingBytecode)).length;
      }),
    );
    return coins.length + reserves.reduce((sum, count) => sum + count, 0);
  };
  return { ...treasury, rows, rowOf, move, left };
};
type Old = Awaited<ReturnType<typeof openOld>>;

/** Null: BCH. */
export const assetOf = (row: Row): string | null =>
  (row['token_category'] ?? row['tokenCategory'] ?? null) as string | null;
/** Records of a status. */
export const is = (status: string) => (row: Row) => row.status === status;
/** The one token of the home. */
export const gemsOf = (row: readonly Row[]): string =>
  row.map(assetOf).find((category) => category !== null) ?? '';

/** Each record has ended, nothing lies at its covenant any more, and its audit says so. */
export const expectEnded = async (t: ExecutionContext, old: Old, noun: Noun): Promise<void> => {
  for (const row of await old.rows(noun)) {
    const label = `${noun} ${row.contract_address} ${row.status}`;
    t.true(['COMPLETED', 'CANCELLED'].includes(row.status), label);
    t.is(await old.left(row, assetOf(row)), 0, label);
    const verified = await old.ask(null, 'deployments.verify', { address: row.contract_address });
    t.true(verified['success'], `${label}: ${JSON.stringify(verified['audit'])}`);
  }
};
