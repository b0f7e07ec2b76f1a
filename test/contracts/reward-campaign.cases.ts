/** RewardCampaign: every allowed move, and every attack that a named `require` refuses. */
import { sha256, utf8ToBin } from '@bitauth/libauth';
import { campaignState, type CampaignState } from '../../src/products/rewards/state.js';
import { campaignAttacks, campaignMoves } from './boundaries/reward-campaign.js';
import { COVENANT_ABSENT } from './harness/absent.js';
import { bind, type Bound } from './harness/bound.js';
import type { Attack, ContractCases, Move, Variation } from './harness/cases.js';
import {
  ASSETS,
  called,
  categoryOf,
  DUST,
  feeFrom,
  fungible,
  nft,
  NOW,
  OTHER,
  owned,
  payment,
  plain,
  reserveCoin,
  reserveOutput,
  thief,
  type Asset,
} from './harness/coins.js';
import { deriveAttacks } from './harness/derive.js';
import { authority, outsider, owner, recipient } from './harness/parties.js';
import { addInputs, changeArgument, changeOutput, type Spend, withoutThread } from './harness/spend.js';

const POOL = 100_000n;
const MAXIMUM = 40_000n;
const START = NOW - 86_400;
const REFUND = recipient.lock;

const campaign = (asset: Asset, { sibling = false }: Variation = {}): Bound =>
  bind('reward-campaign', [
    sha256.hash(utf8ToBin(sibling ? 'campaign two' : 'campaign one')),
    owner.hash,
    authority.hash,
    REFUND,
    categoryOf(asset),
    POOL,
    MAXIMUM,
    BigInt(START),
  ]);

const ACTIVE: CampaignState = { status: 0, distributed: 30_000n, count: 2 };
const PAUSED: CampaignState = { ...ACTIVE, status: 1 };

const satoshisAt = (asset: Asset, { distributed }: CampaignState): bigint =>
  DUST + (asset === 'BCH' ? POOL - distributed : 0n);

const threadOf = (asset: Asset, contract: Bound, state: CampaignState) =>
  nft(contract.lock, campaignState.encode(state), satoshisAt(asset, state));

const CREATOR_ARGUMENTS = [owner.publicKey, { sign: owner }] as const;
const BOTH_ARGUMENTS = [...CREATOR_ARGUMENTS, authority.publicKey, { sign: authority }] as const;

type Distribution = {
  readonly amount?: bigint;
  readonly state?: CampaignState;
  readonly next?: CampaignState;
};

const distribute =
  (asset: Asset, { amount = 25_000n, state = ACTIVE, next }: Distribution = {}) =>
  (variation: Variation = {}): Spend => {
    const contract = campaign(asset, variation);
    const after = next ?? { ...state, distributed: state.distributed + amount, count: state.count + 1 };
    const before = POOL - state.distributed;
    const remaining = before - amount;
    const reserve = asset === 'tokens' && remaining > 0n ? [reserveOutput(contract, remaining)] : [];
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'distribute', [
          ...BOTH_ARGUMENTS,
          amount,
        ]),
        ...(asset === 'tokens' ? [reserveCoin(contract, before)] : []),
        feeFrom(owner),
      ],
      outputs: [
        {
          ...threadOf(asset, contract, after),
          valueSatoshis: satoshisAt(asset, state) - (asset === 'BCH' ? amount : 0n),
        },
        ...reserve,
        payment(asset, outsider.lock, amount < 0n ? 0n : amount),
      ],
      locktime: variation.now ?? NOW,
      chainTime: NOW + 1,
    };
  };

const pause =
  (asset: Asset, state: CampaignState = ACTIVE) =>
  (variation: Variation = {}): Spend => {
    const contract = campaign(asset, variation);
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'pause', CREATOR_ARGUMENTS),
        feeFrom(owner),
      ],
      outputs: [threadOf(asset, contract, { ...state, status: 1 })],
      locktime: variation.now ?? NOW,
      chainTime: NOW + 1,
    };
  };

const cancel =
  (asset: Asset, state: CampaignState = ACTIVE) =>
  (variation: Variation = {}): Spend => {
    const contract = campaign(asset, variation);
    const remaining = POOL - state.distributed;
    const reserve = asset === 'tokens' && remaining > 0n ? [reserveCoin(contract, remaining)] : [];
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'cancel', CREATOR_ARGUMENTS),
        ...reserve,
        feeFrom(owner),
      ],
      outputs: remaining > 0n ? [payment(asset, REFUND, remaining)] : [plain(owner.lock, DUST)],
      locktime: variation.now ?? NOW,
      chainTime: NOW + 1,
    };
  };

const LAST: CampaignState = { status: 0, distributed: POOL - 25_000n, count: 7 };
const EMPTY: CampaignState = { status: 0, distributed: POOL, count: 9 };
const started = 'the campaign has started';

const moves: Move[] = ASSETS.flatMap((asset): Move[] => [
  { name: 'distribute › pays a reward', asset, kind: 'pays', atHeight: started, build: distribute(asset) },
  {
    name: 'distribute › pays the maximum reward',
    asset,
    kind: 'pays',
    atHeight: started,
    build: distribute(asset, { amount: MAXIMUM }),
  },
  {
    name: 'distribute › pays the last of the pool',
    asset,
    kind: 'pays',
    atHeight: started,
    build: distribute(asset, { state: LAST }),
  },
  { name: 'pause › keeps the pool', asset, kind: 'keeps', build: pause(asset) },
  { name: 'cancel › refunds an active campaign', asset, kind: 'ends', build: cancel(asset) },
  { name: 'cancel › refunds a paused campaign', asset, kind: 'ends', build: cancel(asset, PAUSED) },
  { name: 'cancel › ends an empty campaign', asset, kind: 'ends', build: cancel(asset, EMPTY) },
]);

const payoutAt = (asset: Asset): number => (asset === 'BCH' ? 1 : 2);

const overClaims = (asset: Asset): Attack[] => [
  {
    attack: 'over-claim',
    name: `distribute (${asset}) › 1 more than the pool`,
    build: distribute(asset, { state: LAST, amount: 25_001n }),
    refusedBy: 'the amount is within the pool',
  },
  {
    attack: 'terms',
    name: `distribute (${asset}) › 1 more than the maximum reward`,
    build: distribute(asset, { amount: MAXIMUM + 1n }),
    refusedBy: 'the amount is within the maximum reward',
  },
  {
    attack: 'terms',
    name: `distribute (${asset}) › a second before the start`,
    build: () => distribute(asset)({ now: START - 1 }),
    refusedBy: 'the campaign has started',
  },
  {
    attack: 'over-claim',
    name: `distribute (${asset}) › the payout is 1 more than the amount`,
    build: () => {
      const spend = distribute(asset)();
      return changeOutput(spend, payoutAt(asset), payment(asset, outsider.lock, 25_001n));
    },
    refusedBy: asset === 'BCH' ? 'output 1 pays the amount' : 'the payout is the amount',
  },
  ...[0n, -1n, -25_000n].map((amount): Attack => ({
    attack: 'amount',
    name: `distribute (${asset}) › an amount of ${amount}`,
    build: distribute(asset, { amount }),
    refusedBy: 'the amount is positive',
  })),
  {
    attack: 'length',
    name: `distribute (${asset}) › an amount in a longer encoding`,
    build: () => changeArgument(distribute(asset, { amount: 100n })(), 4, Uint8Array.of(100, 0)),
    refusedBy: 'vm: OP_ADD',
  },
];

const forbidden = (asset: Asset): Attack[] => [
  {
    attack: 'status',
    name: `distribute (${asset}) › a paused campaign`,
    build: distribute(asset, { state: PAUSED }),
    refusedBy: 'the campaign is active',
  },
  {
    attack: 'status',
    name: `distribute (${asset}) › a paused campaign, made active again`,
    build: distribute(asset, { state: PAUSED, next: { status: 0, distributed: 55_000n, count: 3 } }),
    refusedBy: 'the campaign is active',
  },
  {
    attack: 'status',
    name: `pause (${asset}) › a paused campaign`,
    build: pause(asset, PAUSED),
    refusedBy: 'the campaign is active',
  },
  {
    attack: 'finished',
    name: `distribute (${asset}) › an empty campaign`,
    build: distribute(asset, { state: EMPTY, amount: 1n }),
    refusedBy: 'the amount is within the pool',
  },
  ...(['distribute', 'cancel'] as const).map((call): Attack => ({
    attack: 'finished',
    name: `${call} (${asset}) › a coin at the address that carries no thread`,
    build: () => withoutThread(call === 'cancel' ? cancel(asset)() : distribute(asset)()),
    refusedBy: call === 'cancel' && asset === 'BCH' ? 'output 0 has no thread' : 'vm: OP_SPLIT',
  })),
];

const otherToken = (spend: Spend, index: number, amount: bigint): Spend => {
  const other = fungible(outsider.lock, amount, OTHER);
  const lockingBytecode = spend.outputs[index]?.lockingBytecode ?? outsider.lock;
  return changeOutput(
    addInputs(spend, [owned('other tokens', outsider, other)]),
    index,
    fungible(lockingBytecode, amount, OTHER),
  );
};

const payouts = (asset: Asset): Attack[] => [
  {
    attack: 'payout',
    name: `distribute (${asset}) › the payout is 1 less than the amount`,
    build: () => changeOutput(distribute(asset)(), payoutAt(asset), payment(asset, outsider.lock, 24_999n)),
    refusedBy: asset === 'BCH' ? 'output 1 pays the amount' : 'the payout is the amount',
  },
  {
    attack: 'payout',
    name: `cancel (${asset}) › the refund goes to a thief`,
    build: () => changeOutput(cancel(asset)(), 0, { lockingBytecode: thief.lock }),
    refusedBy: 'output 0 goes to the refund address',
  },
  {
    attack: 'payout',
    name: `cancel (${asset}) › the refund is 1 less than what remains`,
    build: () => changeOutput(cancel(asset)(), 0, payment(asset, REFUND, 69_999n)),
    refusedBy: asset === 'BCH' ? 'the refund is what remains' : 'the refund is all tokens that remain',
  },
  ...(asset === 'BCH'
    ? []
    : ([
        {
          attack: 'payout',
          name: 'distribute (tokens) › the payout is in another token',
          build: () => otherToken(distribute(asset)(), 2, 25_000n),
          refusedBy: 'the payout is in the token',
        },
        {
          attack: 'payout',
          name: 'distribute (tokens) › the last payout is in BCH',
          build: () => {
            const { outputs, ...spend } = distribute(asset, { state: LAST })();
            return { ...spend, outputs: [...outputs.slice(0, 1), plain(outsider.lock, 25_000n)] };
          },
          refusedBy: 'the payout is in the token',
        },
        {
          attack: 'payout',
          name: 'cancel (tokens) › the refund is 1 more than what remains',
          build: () => {
            const gift = reserveCoin(campaign(asset), 1n, 'gift');
            return changeOutput(addInputs(cancel(asset)(), [gift]), 0, payment(asset, REFUND, 70_001n));
          },
          refusedBy: 'the refund is all tokens that remain',
        },
        {
          attack: 'other-token',
          name: 'cancel (tokens) › the refund is in another token',
          build: () => otherToken(cancel(asset)(), 0, 70_000n),
          refusedBy: 'the refund is in the token',
        },
        {
          attack: 'decoy',
          name: 'cancel (tokens) › a decoy of 1 token at input 1, the true reserve left out',
          build: () => {
            const contract = campaign(asset);
            const spend = cancel(asset)();
            const [thread, , ...others] = spend.inputs;
            if (thread === undefined) throw new Error('no thread');
            const inputs = [thread, reserveCoin(contract, 1n, 'decoy'), ...others];
            return changeOutput({ ...spend, inputs }, 0, fungible(REFUND, 1n));
          },
          refusedBy: 'the refund is all tokens that remain',
        },
      ] satisfies Attack[])),
];

export const cases: ContractCases = {
  contract: 'reward-campaign',
  source: 'rewards/reward-campaign.cash',
  layout: campaignState,
  moves: [...moves, ...campaignMoves],
  attacks: [
    ...ASSETS.flatMap((asset) => [...overClaims(asset), ...forbidden(asset), ...payouts(asset)]),
    ...deriveAttacks(moves, campaignState),
    ...campaignAttacks,
  ],
  absent: {
    ...COVENANT_ABSENT,
    'no-witness': 'the authority is no witness of time here: pause and cancel do not depend on time',
    'other-witness': 'the authority is no witness of time here: pause and cancel do not depend on time',
    ticket: 'the authority is no witness of time here: pause and cancel do not depend on time',
    segment: 'no schedule',
    flag: 'no flags: the creator may always pause and cancel',
  },
};
