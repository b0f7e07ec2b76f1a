/** What a stray thread allows by its own state, and why one cannot be recovered. */
import { formatUnits } from '../bch/amount.js';
import { outpointText, type Coin } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { TreasuryError } from '../errors.js';
import type { PoolCoins } from './pool.js';
import { reserveContract } from './reserve.js';
import type { UnsignedTransaction } from './spend.js';
import type { Stray, StrayThread } from './stray.js';
import type { Witness } from './ticket.js';

/**
 * `not_recoverable` with its reason.
 *
 * @example
 * notRecoverable('PAY-0001', strayInBch(coin, null), 'it has no state').code; // 'not_recoverable'
 */
export const notRecoverable = (label: string, { coin }: Stray, reason: string): TreasuryError =>
  new TreasuryError('not_recoverable', {
    label,
    outpoint: outpointText(coin),
    txid: coin.txid,
    vout: coin.vout,
    reason,
  });

/** What a spend of a stray starts from. */
export type StraySpend = {
  readonly coins: PoolCoins;
  readonly payerCoins: readonly Coin[];
  /** Chain now, unix seconds. */
  readonly locktime: number;
};

/** What a stray thread of a schedule allows, by its own state. */
export type StrayTerms = {
  readonly label: string;
  /** For messages: how amounts of its asset are shown. */
  readonly decimals: number;
  /** Cash address of who funds and may cancel. */
  readonly sender: string;
  /** Cash address of the recipient in its state. */
  readonly recipient: string;
  /** The flag in its state. */
  readonly isCancelable: boolean;
  /** What the recipient is owed at a time, smallest unit. */
  readonly owedAt: (now: number) => bigint;
  readonly buildCancel: (spend: StraySpend, witness: Witness) => UnsignedTransaction;
  /** The recipient's part as it is due. @throws nothing_claimable, nothing_releasable, not_recoverable */
  readonly buildClaim: (spend: StraySpend) => {
    readonly unsigned: UnsignedTransaction;
    /** Smallest unit. */
    readonly amount: bigint;
  };
};

/**
 * A claim asks the reserve to hold what the state says remains: tokens that lack can be sent there by anybody, and are
 * claimed with the rest.
 *
 * @throws not_recoverable
 * @example
 * const stray = strayInBch(threadCoin, thread);
 * checkReserve(stray, { label: 'PAY-0001', decimals: 8 }, stray.held + 1n, 'local'); // throws not_recoverable
 */
export const checkReserve = (
  stray: StrayThread,
  { label, decimals }: Pick<StrayTerms, 'label' | 'decimals'>,
  remaining: bigint,
  network: Network,
): void => {
  if (stray.held >= remaining) return;
  const { coin, thread } = stray;
  const reserve = reserveContract(thread.category, coin.lockingBytecode, network).address;
  const [heldText, remainingText, lackText] = [stray.held, remaining, remaining - stray.held].map((units) =>
    formatUnits(units, decimals),
  );
  const reason = `its reserve holds ${heldText}, and its rule asks for the ${remainingText} that its state says: send ${lackText} more to ${reserve.tokenText}, which come out with the rest`;
  throw notRecoverable(label, stray, reason);
};
