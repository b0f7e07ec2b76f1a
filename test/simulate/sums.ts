/**
 * Sums, by an own ledger of the chain: what people have, what covenants hold and what miners took is what there was; and
 * nobody honest is worse off than the rules allow.
 */
import { people as everybody } from '../../fixtures/people.js';
import { changeOf, covenantsIn, DUST, isMoney, lockOf, spendIn, type Books, type Covenant } from './books.js';
import { UNITS } from './entitlement.js';
import { BCH, MINERS, readLedger, type Entry, type Purse } from './ledger.js';
import { NETWORK, type Json } from './processes.js';
import { checkRecord, checkVaults } from './record-sums.js';
import { runAs } from './timeline.js';
import type { OpenedWorld } from './world.js';

const THERE_WAS = 2_100_000_000_000_000n;

const pursesOf = (world: OpenedWorld, store: ReadonlyMap<string, readonly Json[]>): Map<string, Purse> => {
  const purses = new Map<string, Purse>();
  for (const who of [everybody.authority, ...world.people])
    purses.set(who.address(NETWORK).lockingBytecode, { kind: 'person', name: who.name });
  for (const records of store.values())
    for (const { contract_address: address, voter } of records) {
      if (typeof address !== 'string') continue;
      const record = world.known.find((one) => one.address === address) ?? null;
      const covenant: Covenant = {
        kind: 'covenant',
        name: record?.tag ?? address,
        record,
        voter: typeof voter === 'string' ? voter : null,
      };
      purses.set(lockOf(address), covenant);
    }
  return purses;
};

/** Names of those whom a covenant may pay. */
const payeesOf = ({ record, voter }: Covenant, { world, nameOf }: Books): ReadonlySet<string> => {
  if (voter !== null) return new Set([nameOf(voter)]);
  if (record === null) return new Set();
  const vault = world.known.find(({ id }) => id === record.vaultId);
  return new Set([
    record.creator.name,
    ...[...record.heirs].map(nameOf),
    ...(vault === undefined ? [] : [vault.tag]),
  ]);
};

/** Payments that somebody has asked for at the terminal, and that a transaction makes. */
const paymentsIn = (entry: Entry, { world }: Books) =>
  world.tasks.filter(
    ({ pays }) =>
      pays !== null &&
      entry.outputs.some(
        ({ lock, satoshis, amount }) =>
          lock === lockOf(pays.to) &&
          amount === pays.token &&
          (pays.token > 0n || satoshis === pays.satoshis),
      ),
  );

/** Whatever a person or a covenant has gained came from where it may come from. */
const checkGains = (entry: Entry, books: Books): void => {
  const { world, nameOf } = books;
  const losing = covenantsIn(entry);
  const payments = paymentsIn(entry, books);
  for (const [purse, assets] of entry.changes)
    for (const [asset, units] of assets) {
      if (!isMoney(asset, units) || purse === MINERS || entry.minted.has(asset)) continue;
      const from = losing.filter((one) => one !== purse && changeOf(entry, one, asset) < 0n);
      const isPaid = payments.some(({ pays }) => pays !== null && nameOf(pays.to) === purse.name);
      const isOwed = from.some(
        (one) => payeesOf(one, books).has(purse.name) || spendIn(entry, one, books) !== undefined,
      );
      const isPutIn = purse.kind === 'covenant' && from.length === 0;
      if (!isPaid && !isOwed && !isPutIn)
        world.find(
          'sums',
          `${entry.txid} gives ${purse.name} ${units} of ${asset}, from ${from.map(({ name }) => name).join(', ') || 'nobody who may'}`,
        );
    }
};

/** A person has given what went into covenants, what they wanted to pay, the fee and dust, and no more. */
const checkLosses = (entry: Entry, books: Books): void => {
  const { world, nameOf } = books;
  const payments = paymentsIn(entry, books);
  for (const [purse, assets] of entry.changes)
    for (const [asset, units] of assets) {
      if (purse.kind !== 'person' || units >= 0n) continue;
      let allowed = asset === BCH ? entry.fee + DUST : 0n;
      for (const covenant of covenantsIn(entry)) {
        const put = changeOf(entry, covenant, asset);
        if (put > 0n) allowed += put;
        const { record, voter } = covenant;
        const isTheirs = record?.noun === 'vaults' || record?.creator.name === purse.name;
        const isVote = voter !== null && nameOf(voter) === purse.name;
        if (isMoney(asset, put) && !isTheirs && !isVote && purse.name !== 'mallory')
          world.find('sums', `${entry.txid} puts ${put} of ${purse.name}'s into ${covenant.name}`);
      }
      for (const { pays, who } of payments)
        if (pays !== null && who.name === purse.name) allowed += asset === BCH ? pays.satoshis : pays.token;
      if (-units > allowed)
        world.find(
          'sums',
          `${entry.txid} takes ${-units} of ${asset} from ${purse.name}, of which ${allowed} may be`,
        );
    }
};

/** Nothing comes from nowhere, nothing is lost, and miners take the fee. */
const checkWhole = (entry: Entry, { world }: Books): void => {
  const { txid, fee, size, changes, minted, outputs } = entry;
  if (fee < 0n || fee > BigInt(2 * size) + 2_000n)
    world.find('sums', `${txid} of ${size} bytes leaves ${fee} satoshis to the miners`);
  for (const { purse, lock } of outputs)
    if (purse.kind === 'nobody') world.find('sums', `${txid} pays ${lock}, which is nobody's`);
  const assets = new Set([...changes.values()].flatMap((own) => [...own.keys()]));
  for (const asset of assets) {
    if (asset === BCH || minted.has(asset)) continue;
    const sum = [...changes.values()].reduce((all, own) => all + (own.get(asset) ?? 0n), 0n);
    if (sum !== 0n) world.find('sums', `${txid} makes ${sum} of the token ${asset}`);
  }
};

/** What the ledger adds up to is what the node shows, and what there was. */
const checkTotals = async ({ world, ledger }: Books): Promise<void> => {
  let total = 0n;
  const sums = new Map<string, bigint>();
  for (const [lock, coins] of ledger.held) {
    const own = coins.reduce((sum, { satoshis }) => sum + satoshis, 0n);
    total += own;
    const [{ purse }] = coins as [(typeof coins)[number]];
    sums.set(purse.kind, (sums.get(purse.kind) ?? 0n) + own);
    const shown = await runAs(null, () => world.node.unspent(lock));
    const seen = shown.reduce((sum, { satoshis }) => sum + satoshis, 0n);
    if (seen !== own)
      world.find('sums', `the node shows ${seen} satoshis of ${purse.name}, and the ledger ${own}`);
  }
  if (total !== THERE_WAS) world.find('sums', `there are ${total} satoshis, and there were ${THERE_WAS}`);
  world.count('checked: sums');
  world.tell([...sums].map(([kind, units]) => `${kind} ${Number(units) / UNITS.bch} BCH`).join(', '));
};

/** What of all that was signed stands on the chain in the end. */
const countMoves = ({ world, ledger, builds }: Books): void => {
  for (const { txid } of ledger.entries) {
    const build = builds.get(txid);
    if (build === undefined) continue;
    const { record } = world.drawer.find((signed) => signed.txid === txid) ??
      world.tasks.find(({ txids }) => txids.has(txid)) ?? { record: null };
    const inTokens = record?.asset !== null && record !== null;
    world.count(`on chain: ${build}${inTokens ? ' in tokens' : ''}`);
  }
};

/** @param store - its records say which addresses are covenants, and nothing else is taken from them */
export const checkSums = async (
  world: OpenedWorld,
  store: ReadonlyMap<string, readonly Json[]>,
): Promise<void> => {
  // What waits for a block stands in one.
  await world.mine(1);
  const purses = pursesOf(world, store);
  const ledger = await runAs(null, () => readLedger(world.node, purses));
  const builds = new Map(world.drawer.map(({ txid, build }) => [txid, build]));
  for (const { words, txids } of world.tasks)
    for (const txid of txids) builds.set(txid, words.slice(0, 2).join('.'));
  const nameOf = (address: string): string => purses.get(lockOf(address))?.name ?? address;
  const books: Books = { world, ledger, nameOf, builds };
  for (const entry of ledger.entries) {
    if (entry.isCoinbase || [...entry.changes.keys()].some(({ kind }) => kind === 'faucet')) continue;
    checkWhole(entry, books);
    checkGains(entry, books);
    checkLosses(entry, books);
  }
  for (const purse of new Set(purses.values()))
    if (purse.kind === 'covenant') checkRecord(purse as Covenant, books);
  checkVaults(books);
  await checkTotals(books);
  countMoves(books);
};
