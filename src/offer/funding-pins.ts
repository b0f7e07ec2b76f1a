/**
 * Pins: the coin from which a record's funding starts its threads.
 *
 * It is chosen when a funding is first asked for, and every later funding of the record spends it while it is unspent,
 * so two signed fundings of one record conflict on chain. Until the record is funded the coin is leased: no other
 * builder of this home spends it. Source: docs/design/wallets.md, One funding.
 */
import { z } from 'zod';
import { parseAddress, type Address } from '../bch/address.js';
import { formatUnits, BCH_DECIMALS } from '../bch/amount.js';
import { outpointText, sameOutpoint, sumSatoshis, type Coin } from '../bch/coins.js';
import { Hex32, Units } from '../bch/fields.js';
import type { Transaction } from '../bch/transaction.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import {
  defineCollection,
  type Collection,
  type StoreReader,
  type StoreWriter,
} from '../operation/ports/store.js';

export const FundingPin = z.object({
  /** Of what is funded by one transaction: a record, or a batch. */
  id: z.string(),
  label: z.string(),
  /** The record that says whether it is funded: of a batch, its first. */
  record: z.object({ collection: z.string(), id: z.string() }),
  /** Cash address. */
  payer: z.string(),
  coin: z.object({ txid: Hex32, vout: z.int().min(0), satoshis: Units }),
  /** False: the pin makes fundings conflict, but keeps the coin from nobody. */
  is_lease: z.boolean(),
  /** Unix seconds of the service's clock. */
  pinned_at: z.int(),
});
export type FundingPin = z.output<typeof FundingPin>;

export const fundingPinCollection = defineCollection({
  name: 'funding_pins',
  schema: FundingPin,
  indexes: { coin: ({ coin }) => outpointText(coin), payer: ({ payer }) => payer },
});

/** What a pin is for. */
export type PinSubject = Pick<FundingPin, 'id' | 'label' | 'record'> & {
  /** False where somebody else than the payer asks: a stranger must not keep the coins of others. Default true. */
  readonly isLease?: boolean;
};

/** What every record says of its funding. */
type Fundable = { readonly id: string; readonly tx_hash: string | null; readonly deprecated?: boolean };

/** A pin that leases nothing is kept for so long: its record waits again when the chain takes its funding back. */
const KEPT_SECONDS = 7 * 86_400;

/** True while the record waits for its funding: it is there, not funded, and not removed. */
const isWaiting = async (store: StoreReader, { record }: Pick<FundingPin, 'record'>): Promise<boolean> => {
  // The store knows collections by their names; the products' own are not this module's to import.
  const collection = { name: record.collection, indexes: {} } as Collection;
  const found = (await store.get(collection, record.id)) as unknown as Fundable | null;
  return found !== null && found.tx_hash === null && found.deprecated !== true;
};

/** The pins that lease coins of an address, but for those of `subject`. */
const leasesOf = async (
  store: StoreReader,
  { text: payer }: Address,
  subject?: string,
): Promise<readonly FundingPin[]> => {
  const { items } = await store.find(fundingPinCollection, { where: { payer } });
  const leases: FundingPin[] = [];
  for (const pin of items)
    if (pin.is_lease && pin.id !== subject && (await isWaiting(store, pin))) leases.push(pin);
  return leases;
};

const leftOut = (coins: readonly Coin[], leases: readonly FundingPin[]): Coin[] =>
  coins.filter((coin) => !leases.some(({ coin: pinned }) => sameOutpoint(coin, pinned)));

/**
 * What an address may spend: its coins, without those that wait for the funding of a record. Every builder of this
 * home takes the coins of who pays from here.
 *
 * @throws chain_unavailable
 */
export const freeCoins = async (
  owner: Address,
  { chain, store }: Pick<Context, 'chain' | 'store'>,
): Promise<Coin[]> => leftOut(await chain.coins(owner.lockingBytecode), await leasesOf(store, owner));

/** A coin that waits for a funding, and what is to be funded. */
export type PinnedCoin = { readonly label: string; readonly coin: Coin };

/** A pinned coin as replies have it. */
export const showPinned = ({ label, coin }: PinnedCoin) => ({
  label,
  outpoint: outpointText(coin),
  satoshis: coin.satoshis.toString(),
});

/** The coins of an address that wait for a funding. @throws chain_unavailable */
export const pinnedCoins = async (
  owner: Address,
  { chain, store }: Pick<Context, 'chain' | 'store'>,
): Promise<readonly PinnedCoin[]> => {
  const leases = await leasesOf(store, owner);
  if (leases.length === 0) return [];
  const coins = await chain.coins(owner.lockingBytecode);
  return leases.flatMap(({ label, coin }) =>
    coins.filter((held) => sameOutpoint(held, coin)).map((held) => ({ label, coin: held })),
  );
};

/** The transaction that spent a pinned coin, or null. @throws chain_unavailable */
const spenderOf = async (
  { payer, coin }: FundingPin,
  { chain }: Pick<Context, 'chain'>,
): Promise<Transaction | null> => {
  const history = await chain.history(parseAddress(payer).lockingBytecode);
  for (const { txid } of [...history].reverse()) {
    const found = await chain.transaction(txid);
    if (found?.transaction.inputs.some((input) => sameOutpoint(input, coin)) === true)
      return found.transaction;
  }
  return null;
};

/**
 * Checks that a pinned coin that is not unspent any more may give way to another: something else has spent it, or the
 * chain has lost it.
 *
 * @throws store_conflict when it was spent by this very funding, which the record has not followed yet;
 *   chain_unavailable when the chain shows it neither as unspent nor as spent
 */
const requireSpentElsewhere = async (
  pin: FundingPin,
  isFunding: (transaction: Transaction) => boolean,
  context: Pick<Context, 'chain'>,
): Promise<void> => {
  const spender = await spenderOf(pin, context);
  if (spender !== null && isFunding(spender)) throw new TreasuryError('store_conflict', { label: pin.label });
  if (spender === null && (await context.chain.transaction(pin.coin.txid)) !== null) {
    const reason = `it shows ${outpointText(pin.coin)} neither as unspent nor as spent`;
    throw new TreasuryError('chain_unavailable', { reason });
  }
};

/** What the funding of a subject may start from. */
export type PinChoice = {
  readonly subject: PinSubject;
  readonly payer: Address;
  /** What the payer may spend on it, the pinned coin among them. */
  readonly coins: readonly Coin[];
  /** The coin that the funding must spend; null when none is pinned yet. */
  readonly pinned: Coin | null;
  /** The pin as it was read, or null. */
  readonly known: FundingPin | null;
};

/**
 * What a funding may be built from.
 *
 * @param isFunding says of a transaction whether it funds the subject
 * @throws store_conflict, chain_unavailable
 */
export const choosePinned = async (
  subject: PinSubject,
  payer: Address,
  isFunding: (transaction: Transaction) => boolean,
  context: Pick<Context, 'chain' | 'store'>,
): Promise<PinChoice> => {
  const { chain, store } = context;
  const known = await store.get(fundingPinCollection, subject.id);
  const coins = await chain.coins(payer.lockingBytecode);
  const pinned = known === null ? undefined : coins.find((coin) => sameOutpoint(coin, known.coin));
  if (known !== null && pinned === undefined) await requireSpentElsewhere(known, isFunding, context);
  return {
    subject,
    payer,
    coins: leftOut(coins, await leasesOf(store, payer, subject.id)),
    pinned: pinned ?? null,
    known,
  };
};

const isSame = (a: FundingPin | null, b: FundingPin | null): boolean =>
  a === null || b === null ? a === b : sameOutpoint(a.coin, b.coin);

/** Removes what leases nothing and is old, of one payer. */
const removeOld = async (writer: StoreWriter, payer: string, now: number): Promise<void> => {
  for (const pin of (await writer.find(fundingPinCollection, { where: { payer } })).items) {
    if (now - pin.pinned_at > KEPT_SECONDS && !(await isWaiting(writer, pin)))
      writer.remove(fundingPinCollection, pin.id);
  }
};

/**
 * Writes down the coin that a funding was built from, inside a change of the store.
 *
 * @returns false when another process was faster: with a pin for this subject, or with this coin for another
 * @throws store_conflict when the record does not wait for its funding any more
 */
export const keepPin = async (
  writer: StoreWriter,
  { subject, payer, known }: Pick<PinChoice, 'subject' | 'payer' | 'known'>,
  coin: Coin,
  now: number,
): Promise<boolean> => {
  const { id, label, record, isLease = true } = subject;
  if (!(await isWaiting(writer, subject))) throw new TreasuryError('store_conflict', { label });
  if (!isSame(await writer.get(fundingPinCollection, id), known)) return false;
  const isKnown = known !== null && sameOutpoint(known.coin, coin);
  const isTaken = (await leasesOf(writer, payer, id)).some((pin) => sameOutpoint(pin.coin, coin));
  // What a stranger has pinned becomes a lease when its payer asks.
  if (isKnown && (known.is_lease || !isLease || isTaken)) return true;
  if (isTaken) return false;
  await removeOld(writer, payer.text, now);
  const { txid, vout, satoshis } = coin;
  writer.put(fundingPinCollection, {
    id,
    label,
    record,
    payer: payer.text,
    coin: { txid, vout, satoshis },
    is_lease: isLease,
    pinned_at: now,
  });
  return true;
};

/**
 * An error that says to who lacks BCH which of their coins wait for fundings, where it comes from that. Others as they
 * are: a stranger does not hear what somebody is about to fund.
 */
export const tellPinned = async (
  error: unknown,
  caller: Address | null,
  context: Pick<Context, 'chain' | 'store'>,
): Promise<unknown> => {
  if (!(error instanceof TreasuryError) || error.code !== 'insufficient_funds') return error;
  const { address, asset } = error.details;
  if (asset !== 'BCH' || caller === null || address !== caller.text) return error;
  const pinned = await pinnedCoins(caller, context).catch(() => []);
  if (pinned.length === 0) return error;
  const told = new TreasuryError(
    'insufficient_funds',
    {
      ...(error.details as { address: string; available: string; asset: string; needed: string }),
      pinned: pinned.map(showPinned),
    },
    { cause: error },
  );
  const sum = formatUnits(sumSatoshis(pinned.map(({ coin }) => coin)), BCH_DECIMALS);
  const labels = [...new Set(pinned.map(({ label }) => label))].join(', ');
  told.message += ` ${sum} BCH more are kept for the funding of ${labels}: fund or remove it, or spend them with \`treasury wallet send --use-pinned\`.`;
  return told;
};
