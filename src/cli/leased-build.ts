/** Building a transaction from coins that no other command of this home is about to spend. */
import { addressOf } from '../bch/address.js';
import { BCH_DECIMALS, readAmount, toUnits } from '../bch/amount.js';
import { outpointText, sumSatoshis, type Coin } from '../bch/coins.js';
import { decodeTransaction, fromLibauthOutput } from '../bch/transaction.js';
import { decodeWalletTransaction } from '../bch/wallet-transaction.js';
import { isTreasuryError, TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { Reply } from '../operation/execute.js';
import {
  giveLeaseBack,
  narrowLease,
  readLeases,
  takeLease,
  type CoinLease,
  type Leases,
} from '../record/coin-leases.js';
import { noting } from '../storage-failure.js';
import { sleepAwake, stopSpinner } from './environment.js';
import type { Session } from './session.js';

/** How long another is waited for: looks, and milliseconds between them. A minute in all, whatever the clocks say. */
const LOOKS = 300;
const PAUSE_MS = 200;

type Build = (context: Context) => Promise<Reply>;

/** The context as if some coins of a wallet were not there, and which of them were. */
const without = (
  context: Context,
  owner: string,
  outpoints: readonly string[],
): { readonly context: Context; readonly hidden: () => readonly Coin[] } => {
  const { chain } = context;
  let hidden: readonly Coin[] = [];
  const isHidden = (coin: Coin): boolean => outpoints.includes(outpointText(coin));
  const coins: typeof chain.coins = async (lock, look) => {
    const found = await chain.coins(lock, look);
    if (lock !== owner) return found;
    hidden = found.filter(isHidden);
    return found.filter((coin) => !isHidden(coin));
  };
  return { context: { ...context, chain: { ...chain, coins } }, hidden: () => hidden };
};

/** The coins of a wallet that the transaction of a reply spends: of its preparation, where one comes first. */
const ownInputs = (reply: Reply, owner: string): readonly string[] => {
  const offered = reply['wcTransaction'] ?? reply['preparationTransaction'] ?? null;
  if (offered === null) return [];
  const { sourceOutputs } = decodeWalletTransaction(offered);
  const locks = sourceOutputs.map((output) => fromLibauthOutput(output).lockingBytecode);
  const { inputs } = decodeTransaction((offered as { readonly transaction: string }).transaction);
  return inputs.flatMap((input, index) => (locks[index] === owner ? [outpointText(input)] : []));
};

const unitsOf = (text: unknown): bigint =>
  toUnits(readAmount(text) ?? { decimal: '0', isNumber: false }, BCH_DECIMALS, '');

/** True when what others have leased may be what was missing: with all of it, there would be enough. */
const mayBeOthers = (error: unknown, hidden: readonly Coin[]): boolean => {
  // A pinned coin that another command is spending is neither there nor spent.
  if (!isTreasuryError(error) || !['insufficient_funds', 'chain_unavailable'].includes(error.code))
    return false;
  if (hidden.length === 0) return false;
  const { asset, available, needed } = error.details;
  return asset !== 'BCH' || unitsOf(available) + sumSatoshis(hidden) >= unitsOf(needed);
};

const inUse = (owner: string, [first]: readonly CoinLease[], { network }: Context): TreasuryError =>
  new TreasuryError('coins_in_use', {
    address: addressOf(owner, network)?.text ?? owner,
    pid: first?.holder.pid ?? 0,
  });

const sameLeases = (a: readonly CoinLease[], b: readonly CoinLease[]): boolean =>
  a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);

/** Waits between the looks at what others have leased, and says once for whom. */
const createPatience = ({ call }: Session) => {
  let looks = 0;
  return async (others: readonly CoinLease[]): Promise<boolean> => {
    if (looks === 0) {
      stopSpinner(call);
      const pids = others.map(({ holder }) => holder.pid).join(', ');
      // Whoever was quicker a moment ago was not read yet.
      const who = pids === '' ? '' : ` (process ${pids})`;
      call.output.talk(`Another command${who} is spending coins of this wallet: waiting for it.`);
    }
    looks += 1;
    if (looks > LOOKS) return false;
    // Nothing is leased while it waits: whoever leaves now leaves nothing behind.
    await sleepAwake(call.environment, PAUSE_MS);
    return true;
  };
};

/**
 * Builds from the coins that no other process has leased, and leases those that the transaction spends. Where there are
 * too few without those of others, it waits for them, a minute at most.
 *
 * @param id of the lease: the caller gives it back
 * @throws coins_in_use, and what building throws
 */
export const buildLeased = async (session: Session, id: string, build: Build): Promise<Reply> => {
  const { context, operator } = session;
  const { store, processes, clock } = context;
  const owner = operator.address?.lockingBytecode ?? '';
  const patience = createPatience(session);
  let waitedFor: readonly CoinLease[] | null = null;
  for (;;) {
    const { others, over }: Leases = await readLeases(owner, id, context);
    const isFree: boolean = others.every(({ coins }) => coins !== null);
    const isOther: boolean = waitedFor === null || !sameLeases(waitedFor, others);
    const lease: CoinLease = { id, owner, holder: processes.self(), coins: null, leased_at: clock.wall() };
    const leased: readonly CoinLease[] | null =
      isFree && isOther ? await takeLease(store, lease, over) : null;
    if (leased === null) {
      if (await patience(others)) continue;
      throw inUse(owner, others, context);
    }
    const sight = without(
      context,
      owner,
      leased.flatMap(({ coins }) => coins ?? []),
    );
    try {
      const reply = await build(sight.context);
      await narrowLease(store, lease, ownInputs(reply, owner));
      return reply;
    } catch (error) {
      await giveLeaseBack(store, id);
      if (!mayBeOthers(error, sight.hidden())) throw error;
      waitedFor = leased;
    }
  }
};

/** Gives the lease of a step back, whatever became of it: where the disk refuses that, it ends with this process. */
export const endLease = async ({ context }: Session, id: string): Promise<void> => {
  await noting(giveLeaseBack(context.store, id));
};
