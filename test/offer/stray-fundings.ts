/** Fundings that no home should build: second ones, with a wrong sum, by somebody else. */
import type { Person } from '../../fixtures/people.js';
import type { Coin } from '../../src/bch/coins.js';
import { buildFunding } from '../../src/covenant/funding.js';
import type { GenesisMember } from '../../src/covenant/genesis.js';
import type { CovenantRecord, Deployable } from '../../src/record/deployable.js';
import { fundingPinCollection } from '../../src/offer/funding-pins.js';
import { handOut } from '../../src/offer/hand-out.js';
import type { Treasury } from '../treasury.js';

type Stray = {
  readonly payer: Person;
  /** What its pool holds, smallest unit; default what the record asks for. */
  readonly pool?: bigint;
};

/** The record of an id, and the product that knows it. */
export const knownRecord = async (
  { app }: Treasury,
  id: string,
): Promise<{ readonly deployable: Deployable; readonly record: CovenantRecord }> => {
  for (const deployable of app.deployables) {
    const record = (await app.context.store.get(deployable.collection, id)) as CovenantRecord | null;
    if (record !== null) return { deployable, record };
  }
  throw new Error(`there is no record ${id}`);
};

/** Funds a record as a home would that knows no pin, from coins that no pin holds; returns the transaction id. */
export const fundAstray = async (treasury: Treasury, id: string, { payer, pool }: Stray): Promise<string> => {
  const { context } = treasury.app;
  const { deployable, record } = await knownRecord(treasury, id);
  const members = (await deployable.genesis(record, context)).map((member): GenesisMember => ({
    ...member,
    pool: pool ?? member.pool,
  }));
  const txid = await treasury.give(payer, 90_000_000n);
  const address = treasury.addressOf(payer);
  const coins = await context.chain.coins(address.lockingBytecode);
  const pinned = (await context.store.find(fundingPinCollection)).items.map(({ coin }) => coin.txid);
  const payerCoins = coins.filter(
    (coin: Coin) => coin.txid === txid || (coin.token !== undefined && !pinned.includes(coin.txid)),
  );
  const genesisCoin = coins.find((coin) => coin.txid === txid && coin.vout === 0) ?? null;
  const funding = buildFunding({ payer: address, payerCoins, members, genesisCoin });
  if (funding.kind !== 'ready') throw new Error('a coin of the faucet is output 0');
  return treasury.send(payer, await handOut(funding.payment, address, 'Fund', context));
};
