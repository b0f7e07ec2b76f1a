/** RewardCampaign at the edges of its rules: each second, each unit, each count on either side of every comparison. */
import { campaignState, type CampaignState } from '../../../src/products/rewards/state.js';
import { bind, type Bound } from '../harness/bound.js';
import type { Attack, Move } from '../harness/cases.js';
import { ASSETS, categoryOf, DUST, NOW, payment, plain, type Asset } from '../harness/coins.js';
import { authority, outsider, owner, recipient } from '../harness/parties.js';
import { changeOutput, type Output } from '../harness/spend.js';
import {
  allows,
  endsWith,
  FIRST_TIME,
  joinAll,
  keepsReserve,
  keepsSatoshis,
  keepsWith,
  LARGE,
  pins,
  refuses,
  small,
  tokens,
  purse,
  type Boundaries,
  type Carried,
  type Parts,
} from './spend-of.js';

type Terms = {
  readonly asset: Asset;
  readonly pool: bigint;
  readonly maximum: bigint;
  readonly start: number;
};
const START = NOW - 86_400;
const termsOf = (asset: Asset): Terms => ({ asset, pool: 100_000n, maximum: 40_000n, start: START });
const REFUND = recipient.lock;

const campaignOf = ({ asset, pool, maximum, start }: Terms): Bound =>
  bind('reward-campaign', [
    new Uint8Array(32).fill(8),
    owner.hash,
    authority.hash,
    REFUND,
    categoryOf(asset),
    pool,
    maximum,
    BigInt(start),
  ]);

const FRESH: CampaignState = { status: 0, distributed: 0n, count: 0 };

const carry = ({ asset, pool }: Terms, state: CampaignState): Carried => ({
  state: campaignState.encode(state),
  satoshis: DUST + (asset === 'BCH' ? pool - state.distributed : 0n),
});
const reserveAt = ({ asset, pool }: Terms, { distributed }: CampaignState): bigint | null =>
  asset === 'tokens' && pool > distributed ? pool - distributed : null;

const CREATOR = [owner.publicKey, { sign: owner }] as const;
const BOTH = [...CREATOR, authority.publicKey, { sign: authority }] as const;

const payTo = (asset: Asset, lock: Uint8Array, amount: bigint): Output =>
  asset === 'BCH' ? plain(lock, amount < 546n ? 546n : amount) : payment(asset, lock, amount);

const distribute = (terms: Terms, state: CampaignState, amount: bigint, now = NOW): Parts => {
  const after = { ...state, distributed: state.distributed + amount, count: state.count + 1 };
  return {
    contract: campaignOf(terms),
    call: 'distribute',
    args: [...BOTH, amount],
    before: carry(terms, state),
    after: carry(terms, after),
    reserve: reserveAt(terms, state),
    left: reserveAt(terms, after),
    outputs: [payTo(terms.asset, outsider.lock, amount)],
    now,
  };
};

const pause = (terms: Terms, state: CampaignState): Parts => ({
  contract: campaignOf(terms),
  call: 'pause',
  args: CREATOR,
  before: carry(terms, state),
  after: carry(terms, { ...state, status: 1 }),
});

/** A cancel that refunds so much, or all that remains. */
const cancel = (terms: Terms, state: CampaignState, refund = terms.pool - state.distributed): Parts => ({
  contract: campaignOf(terms),
  call: 'cancel',
  args: CREATOR,
  before: carry(terms, state),
  after: null,
  reserve: reserveAt(terms, state),
  outputs: [...(refund > 0n ? [payTo(terms.asset, REFUND, refund)] : []), small()],
});

const withPool = (terms: Terms, left: bigint): CampaignState => ({
  ...FRESH,
  distributed: terms.pool - left,
  count: 3,
});

const amounts = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const least = asset === 'BCH' ? 546n : 1n;
  const large = LARGE[asset];
  const many = { status: 0, distributed: 7n, count: 2 ** 30 + 2 ** 24 + 7 };
  const huge: Terms = { ...terms, pool: 3n * large, maximum: 3n * large };
  const edge = (name: string, parts: () => Parts) => ({ name, asset, parts });
  const refund = asset === 'BCH' ? 'the refund is what remains' : 'the refund is all tokens that remain';
  return {
    moves: [
      allows(edge('distribute › the least', () => distribute(terms, FRESH, least))),
      allows(edge('distribute › the maximum', () => distribute(terms, FRESH, terms.maximum))),
      allows(
        edge('distribute › all but 1 of the pool', () => distribute(terms, withPool(terms, 601n), 600n)),
      ),
      allows(edge('distribute › all of the pool', () => distribute(terms, withPool(terms, 600n), 600n))),
      allows(edge('distribute › behind many', () => distribute(terms, many, 600n))),
      allows(
        edge('distribute › amounts of 8 bytes', () =>
          distribute(huge, { ...FRESH, distributed: large }, large),
        ),
      ),
      allows(edge('cancel › amounts of 8 bytes', () => cancel(huge, { ...FRESH, distributed: large }))),
      allows(edge('cancel › 1 unit remains', () => cancel(terms, withPool(terms, 1n)))),
      allows(edge('cancel › nothing is distributed', () => cancel(terms, FRESH))),
      allows(
        edge('cancel › more is distributed than there was, which no move leads to', () => ({
          ...cancel(terms, { ...FRESH, distributed: terms.pool + 1n }),
          before: { ...carry(terms, { ...FRESH, distributed: terms.pool + 1n }), satoshis: DUST },
        })),
      ),
      ...(asset === 'BCH'
        ? [
            allows({
              ...edge('cancel › the refund is more than what remains', () => cancel(terms, FRESH)),
              change: (spend) => changeOutput(spend, 0, { valueSatoshis: terms.pool + 999n }),
            }),
          ]
        : []),
    ],
    attacks: [
      refuses(
        'terms',
        'the amount is within the maximum reward',
        edge('distribute › the maximum and 1', () => distribute(terms, FRESH, terms.maximum + 1n)),
      ),
      refuses(
        'payout',
        'output 0 goes to the refund address',
        edge('cancel › 1 unit remains, and is kept', () => cancel(terms, withPool(terms, 1n), 0n)),
      ),
      refuses(
        'payout',
        refund,
        edge('cancel › amounts of 8 bytes, 1 is kept', () =>
          cancel(huge, { ...FRESH, distributed: large }, 2n * large - 1n),
        ),
      ),
      ...(asset === 'BCH'
        ? []
        : [
            refuses('payout', refund, {
              ...edge('cancel › a unit from elsewhere on the refund', () => ({
                ...cancel(terms, FRESH, terms.pool + 1n),
                inputs: [purse(), tokens(1n)],
              })),
            }),
          ]),
    ],
  };
};

const starts = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const first: Terms = { ...terms, start: FIRST_TIME };
  const edge = (name: string, parts: () => Parts) => ({ name: `distribute › ${name}`, asset, parts });
  const started = 'the campaign has started';
  return {
    moves: [
      allows(edge('at the second of the start', () => distribute(terms, FRESH, 600n, START))),
      allows(edge('at the first second that is a time', () => distribute(first, FRESH, 600n, FIRST_TIME))),
    ],
    attacks: [
      refuses(
        'terms',
        started,
        edge('a second before the start', () => distribute(terms, FRESH, 600n, START - 1)),
      ),
      refuses(
        'block-height',
        started,
        edge('at the last block height', () => distribute(first, FRESH, 600n, FIRST_TIME - 1)),
      ),
    ],
  };
};

const pinned = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const paid = () => distribute(terms, FRESH, 25_000n);
  const last = () => distribute(terms, withPool(terms, 25_000n), 25_000n);
  const payout = { asset, what: 'the payout', attack: 'payout' } as const;
  return joinAll([
    pins({ ...payout, name: 'distribute', parts: paid, at: asset === 'BCH' ? 1 : 2 }),
    pins({ ...payout, name: 'distribute › the last', parts: last, at: 1 }),
    pins({
      asset,
      name: 'cancel',
      parts: () => cancel(terms, FRESH),
      at: 0,
      what: 'the refund',
      attack: 'payout',
    }),
  ]);
};

const reserves = (): Boundaries => {
  const terms = termsOf('tokens');
  const paid = () => distribute(terms, FRESH, 25_000n);
  const allBut1 = () => distribute(terms, withPool(terms, 601n), 600n);
  return joinAll([
    keepsSatoshis('distribute', paid),
    {
      moves: [],
      attacks: [...keepsReserve('distribute', paid), ...keepsReserve('distribute › all but 1', allBut1)],
    },
    pins({
      asset: 'tokens',
      name: 'distribute',
      parts: paid,
      at: 1,
      what: 'the reserve',
      attack: 'skim-reserve',
    }),
  ]);
};

const all: Boundaries = joinAll([
  ...ASSETS.flatMap((asset) => {
    const terms = termsOf(asset);
    return [
      amounts(asset),
      starts(asset),
      pinned(asset),
      keepsWith('pause', asset, () => pause(terms, FRESH)),
      endsWith('cancel', asset, () => cancel(terms, withPool(terms, 0n))),
    ];
  }),
  reserves(),
]);

export const campaignMoves: readonly Move[] = all.moves;
export const campaignAttacks: readonly Attack[] = all.attacks;
