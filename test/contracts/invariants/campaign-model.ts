/** Reward campaigns: random terms, and the moves that may be tried, with what the second implementation says of each. */
import fc from 'fast-check';
import { campaignState } from '../../../src/products/rewards/state.js';
import { bind } from '../harness/bound.js';
import { ASSETS, categoryOf, type Asset } from '../harness/coins.js';
import { authority, outsider, owner, recipient } from '../harness/parties.js';
import { askedAmount, type Attempt, type Covenant, type Order } from './covenant.js';
import { anyId, anyStart, largestPool } from './numbers.js';

export type CampaignTerms = {
  readonly asset: Asset;
  readonly id: Uint8Array;
  readonly total: bigint;
  readonly maximum: bigint;
  readonly start: number;
};

export type CampaignState = {
  readonly status: number;
  readonly distributed: bigint;
  readonly count: number;
};

/** What remains goes here, to somebody who signs nothing. */
export const REFUND = recipient.lock;

export const anyCampaignTerms: fc.Arbitrary<CampaignTerms> = fc
  .constantFrom(...ASSETS)
  .chain((asset) =>
    fc.record({
      asset: fc.constant(asset),
      id: anyId,
      total: fc.oneof(fc.bigInt({ min: 1n, max: 20_000n }), fc.bigInt({ min: 1n, max: largestPool(asset) })),
      share: fc.bigInt({ min: 1n, max: 1_000n }),
      start: anyStart,
    }),
  )
  .map(({ share, ...terms }) => ({ ...terms, maximum: (terms.total * share + 999n) / 1_000n }));

const CREATOR = [owner.publicKey, { sign: owner }] as const;
const BOTH = [...CREATOR, authority.publicKey, { sign: authority }] as const;
const DUST_OF_PAYOUT = 546n;

type Tried = (
  terms: CampaignTerms,
  state: CampaignState,
  order: Order,
  now: number,
) => Omit<Attempt<CampaignState>, 'call'>;

const distribute: Tried = ({ asset, total, maximum, start }, state, order, now) => {
  const remaining = total - state.distributed;
  const most = maximum < remaining ? maximum : remaining;
  const amount = askedAmount(order, most);
  const distributed = state.distributed + amount;
  const isSmall = asset === 'BCH' && amount < DUST_OF_PAYOUT;
  return {
    args: [...BOTH, amount],
    after: {
      ...state,
      distributed: distributed < 0n ? 0n : distributed,
      count: state.count + 1,
    },
    pays: [{ to: outsider.lock, amount }],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: false,
    isAllowed: state.status === 0 && now >= start && amount > 0n && amount <= most && !isSmall,
  };
};

const pause: Tried = (_, state) => ({
  args: CREATOR,
  after: { ...state, status: 1 },
  pays: [],
  adds: 0n,
  opens: false,
  by: owner,
  isWitnessed: false,
  isAllowed: state.status === 0,
});

const cancel: Tried = ({ total }, state) => ({
  args: CREATOR,
  after: null,
  pays: [{ to: REFUND, amount: total - state.distributed }],
  adds: 0n,
  opens: true,
  by: owner,
  isWitnessed: false,
  isAllowed: true,
});

const TRIED: Readonly<Record<string, Tried>> = { distribute, pause, cancel };

/** A reward campaign of some terms. */
export const campaignCovenant = (terms: CampaignTerms): Covenant<CampaignState> => ({
  name: 'reward-campaign',
  asset: terms.asset,
  contract: bind('reward-campaign', [
    terms.id,
    owner.hash,
    authority.hash,
    REFUND,
    categoryOf(terms.asset),
    terms.total,
    terms.maximum,
    BigInt(terms.start),
  ]),
  calls: [...Array<string>(10).fill('distribute'), 'pause', 'cancel'],
  first: { status: 0, distributed: 0n, count: 0 },
  span: { from: terms.start, to: terms.start + 1_000 },
  encode: (state) => campaignState.encode(state),
  decode: (commitment) => {
    const state = campaignState.decode(commitment);
    if (state === null) throw new Error(`${commitment} is no state of a campaign`);
    return state;
  },
  remaining: ({ distributed }) => terms.total - distributed,
  boundaries: () => [terms.start],
  attempt: (state, order, now) => {
    const tried = TRIED[order.call];
    if (tried === undefined) throw new Error(`a campaign has no ${order.call}`);
    return { call: order.call, ...tried(terms, state, order, now) };
  },
});
