/** BudgetPlan: every allowed move, and every attack that a named `require` refuses. */
import { binToHex, hexToBin, sha256, utf8ToBin } from '@bitauth/libauth';
import { bytes, commitment, type CommitmentState } from '../../src/bch/commitment.js';
import { budgetAttacks, budgetMoves } from './boundaries/budget-plan.js';
import { COVENANT_ABSENT } from './harness/absent.js';
import { bind, type Argument, type Bound } from './harness/bound.js';
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
  ticket,
  ticketBack,
  type Asset,
} from './harness/coins.js';
import { deriveAttacks } from './harness/derive.js';
import { authority, outsider, owner, recipient } from './harness/parties.js';
import { budgetPushAttacks, budgetPushes, budgetPushMoves, sizedPush } from './pushes/budget-plan.js';
import {
  addInputs,
  changeArgument,
  changeOutput,
  type Output,
  type Spend,
  withoutThread,
} from './harness/spend.js';

export const budgetLayout = commitment({
  status: 'u8',
  current: 'u8',
  anchor: 'u40',
  pausedAt: 'u40',
  recipient: bytes(20),
  flags: 'u8',
});
type State = CommitmentState<(typeof budgetLayout)['layout']>;

export const milestoneLayout = commitment({ seconds: 'u40', amount: 'u64' });
/** Seconds since the start and the amount in all, milestone by milestone; the third pays nothing of its own. */
const MILESTONES = [
  [1_000, 10_000n],
  [3_000, 35_000n],
  [4_000, 35_000n],
  [8_000, 100_000n],
] as const;
const TOTAL = 100_000n;

const secondsOf = (milestone: number): number => MILESTONES[milestone - 1]?.[0] ?? 0;
const amountOf = (milestone: number): bigint => MILESTONES[milestone - 1]?.[1] ?? 0n;

type Terms = Variation & { readonly milestones?: number; readonly pushMinimum?: bigint };

/** More milestones than the four above come one a second behind them, for the sizes. */
const listOf = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const [seconds, amount] = MILESTONES[index] ?? [8_000 + index, TOTAL];
    return milestoneLayout.encode({ seconds, amount });
  }).join('');

const plan = (
  asset: Asset,
  { sibling = false, milestones = MILESTONES.length, pushMinimum = 0n }: Terms,
): Bound =>
  bind('budget-plan', [
    sha256.hash(utf8ToBin(sibling ? 'plan two' : 'plan one')),
    owner.hash,
    authority.hash,
    categoryOf(asset),
    hexToBin(listOf(milestones)),
    pushMinimum,
  ]);

const START = NOW - 3_500;
const FRESH: State = {
  status: 0,
  current: 0,
  anchor: START,
  pausedAt: 0,
  recipient: binToHex(recipient.hash),
  flags: 1,
};
/** The first milestone is released, the second has elapsed. */
const ACTIVE: State = { ...FRESH, current: 1, anchor: START + 1_000 };
const PAUSED: State = { ...ACTIVE, status: 1, pausedAt: NOW - 100 };

const satoshisAt = (asset: Asset, { current }: State): bigint =>
  DUST + (asset === 'BCH' ? TOTAL - amountOf(current) : 0n);
const threadOf = (asset: Asset, contract: Bound, state: State, satoshis = satoshisAt(asset, state)): Output =>
  nft(contract.lock, budgetLayout.encode(state), satoshis);

const CONTROLLER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...CONTROLLER, authority.publicKey, { sign: authority }] as const;
const RECIPIENT = [recipient.publicKey, { sign: recipient }] as const;

const clock = (now: number, chainTime = NOW + 1) => ({ locktime: now, chainTime });
const timeOf = (state: State, now: number): number => (state.status === 1 ? state.pausedAt : now);

type Release = {
  readonly upTo?: number;
  readonly state?: State;
  readonly at?: number;
  readonly skim?: bigint;
};

const release =
  (asset: Asset, { upTo = 2, state = ACTIVE, at = NOW }: Release = {}) =>
  (variation: Terms = {}): Spend => {
    const contract = plan(asset, variation);
    const after: State = {
      ...state,
      current: Math.max(upTo, 0),
      anchor: state.anchor + secondsOf(upTo) - secondsOf(state.current),
    };
    const before = TOTAL - amountOf(state.current);
    const amount = amountOf(upTo) - amountOf(state.current);
    const remaining = before - amount;
    const args: Argument[] = [...RECIPIENT, BigInt(upTo)];
    const goesOn = [
      threadOf(asset, contract, after),
      ...(asset === 'tokens' && remaining > 0n ? [reserveOutput(contract, remaining)] : []),
    ];
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'release', args),
        ...(asset === 'tokens' ? [reserveCoin(contract, before)] : []),
        feeFrom(recipient),
      ],
      outputs: [
        ...(upTo >= MILESTONES.length ? [] : goesOn),
        ...(amount > 0n ? [payment(asset, recipient.lock, amount)] : [plain(recipient.lock, DUST)]),
      ],
      ...clock(variation.now ?? at, Math.max(at, NOW) + 1),
    };
  };

const keep =
  (asset: Asset, call: 'pause' | 'resume', state: State, next: (now: number) => Partial<State>) =>
  (variation: Variation = {}): Spend => {
    const contract = plan(asset, variation);
    const now = variation.now ?? NOW;
    const after = { ...state, ...next(now) };
    // A block height before the anchor gives an anchor below zero, which no commitment carries: any will do there.
    const safe = { ...after, anchor: Math.max(after.anchor, 0) };
    return {
      inputs: [
        called(
          'thread',
          threadOf(asset, contract, state),
          contract,
          call,
          call === 'pause' ? WITNESSED : CONTROLLER,
        ),
        feeFrom(owner),
        ...(call === 'pause' ? [ticket()] : []),
      ],
      outputs: [
        threadOf(asset, contract, safe, satoshisAt(asset, state)),
        ...(call === 'pause' ? [ticketBack()] : []),
      ],
      ...clock(now),
    };
  };

const pause = (asset: Asset, state = ACTIVE) =>
  keep(asset, 'pause', state, (now) => ({ status: 1, pausedAt: now }));
const resume = (asset: Asset, state = PAUSED) =>
  keep(asset, 'resume', state, (now) => ({
    status: 0,
    anchor: state.anchor + now - state.pausedAt,
    pausedAt: 0,
  }));

/** The last milestone elapsed; `current` when none is new. */
const elapsedUpTo = (state: State, now: number): number => {
  const elapsed = timeOf(state, now) - state.anchor + secondsOf(state.current);
  return Math.max(state.current, MILESTONES.filter(([seconds]) => seconds <= elapsed).length);
};

type Cancel = { readonly state?: State; readonly upTo?: number };

const cancel =
  (asset: Asset, { state = ACTIVE, upTo }: Cancel = {}) =>
  (variation: Terms = {}): Spend => {
    const now = variation.now ?? NOW;
    const contract = plan(asset, variation);
    const number = upTo ?? elapsedUpTo(state, now);
    const difference = amountOf(number) - amountOf(state.current);
    const owed = difference > 0n ? difference : 0n;
    const rest = TOTAL - amountOf(state.current) - owed;
    const args = [...WITNESSED, BigInt(number)];
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'cancel', args),
        ...(asset === 'tokens' ? [reserveCoin(contract, TOTAL - amountOf(state.current))] : []),
        feeFrom(owner),
        ticket(),
      ],
      outputs: [
        ...(owed > 0n ? [payment(asset, recipient.lock, owed)] : []),
        ...(rest > 0n ? [payment(asset, owner.lock, rest)] : []),
        ticketBack(),
      ],
      ...clock(now),
    };
  };

const notElapsed = 'the last milestone has elapsed';
const atHeight = 'the locktime is a time';
const END = START + 8_000;

const moves: Move[] = ASSETS.flatMap((asset): Move[] => [
  { name: 'release › one milestone', asset, kind: 'pays', atHeight: notElapsed, build: release(asset) },
  {
    name: 'release › two milestones at once',
    asset,
    kind: 'pays',
    atHeight: notElapsed,
    build: release(asset, { state: FRESH }),
  },
  {
    name: 'release › fewer than have elapsed',
    asset,
    kind: 'pays',
    atHeight: notElapsed,
    build: release(asset, { state: FRESH, upTo: 1 }),
  },
  {
    name: 'release › a milestone that pays nothing of its own',
    asset,
    kind: 'pays',
    atHeight: notElapsed,
    build: release(asset, {
      state: { ...FRESH, current: 2, anchor: START + 3_000 },
      upTo: 3,
      at: START + 4_000,
    }),
  },
  {
    name: 'release › while paused, what had elapsed at the pause',
    asset,
    kind: 'pays',
    build: release(asset, { state: PAUSED }),
  },
  {
    name: 'release › the last milestone ends the thread',
    asset,
    kind: 'ends',
    atHeight: notElapsed,
    build: release(asset, { upTo: 4, at: END }),
  },
  { name: 'pause › an active plan', asset, kind: 'keeps', atHeight, witnessed: true, build: pause(asset) },
  {
    name: 'resume › a paused plan',
    asset,
    kind: 'keeps',
    atHeight: 'the plan was paused before',
    build: resume(asset),
  },
  {
    name: 'resume › at the second of the pause',
    asset,
    kind: 'keeps',
    build: resume(asset, { ...PAUSED, pausedAt: NOW }),
  },
  {
    name: 'cancel › with something owed',
    asset,
    kind: 'ends',
    atHeight,
    witnessed: true,
    build: cancel(asset),
  },
  {
    name: 'cancel › with nothing owed',
    asset,
    kind: 'ends',
    atHeight,
    witnessed: true,
    build: cancel(asset, { state: { ...ACTIVE, current: 2, anchor: START + 3_000 } }),
  },
  {
    name: 'cancel › before the start',
    asset,
    kind: 'ends',
    build: cancel(asset, { state: { ...FRESH, anchor: NOW + 500 } }),
  },
  {
    name: 'cancel › before the start, of a plan that may be pushed',
    asset,
    kind: 'ends',
    build: (variation) =>
      cancel(asset, { state: { ...FRESH, anchor: NOW + 500 } })({ ...variation, pushMinimum: 2_000n }),
  },
  { name: 'cancel › while paused', asset, kind: 'ends', build: cancel(asset, { state: PAUSED }) },
  {
    name: 'cancel › when all has elapsed',
    asset,
    kind: 'ends',
    build: cancel(asset, { state: { ...ACTIVE, anchor: NOW - 9_000 } }),
  },
]);

/** I11: around the second at which each milestone falls due. */
const dueMoves = (): Move[] =>
  MILESTONES.flatMap(([seconds], index): Move[] =>
    [0, 1].map((late) => ({
      name: `release › milestone ${index + 1}, ${late} seconds after it fell due`,
      asset: 'BCH',
      kind: index + 1 === MILESTONES.length ? 'ends' : 'pays',
      build: release('BCH', { state: FRESH, upTo: index + 1, at: START + seconds + late }),
    })),
  );
const early = (): Attack[] =>
  MILESTONES.map(([seconds], index) => ({
    attack: 'over-claim',
    name: `release (BCH) › milestone ${index + 1}, a second before it falls due`,
    build: release('BCH', { state: FRESH, upTo: index + 1, at: START + seconds - 1 }),
    refusedBy: notElapsed,
  }));

const releases = (asset: Asset): Attack[] => [
  {
    attack: 'over-claim',
    name: `release (${asset}) › a milestone more than has elapsed`,
    build: release(asset, { upTo: 3 }),
    refusedBy: notElapsed,
  },
  {
    attack: 'over-claim',
    name: `release (${asset}) › while paused, what elapsed after the pause`,
    build: release(asset, { state: { ...PAUSED, pausedAt: START + 2_999 } }),
    refusedBy: notElapsed,
  },
  ...[1, 0, -1].map((upTo): Attack => ({
    attack: 'amount',
    name: `release (${asset}) › up to ${upTo}, where 1 is released`,
    build: release(asset, { upTo }),
    refusedBy: 'a milestone is released',
  })),
  {
    attack: 'length',
    name: `release (${asset}) › a number in a longer encoding`,
    build: () => changeArgument(release(asset)(), 2, Uint8Array.of(2, 0)),
    refusedBy: 'vm: OP_GREATERTHAN',
  },
  {
    attack: 'finished',
    name: `release (${asset}) › a plan that is all released`,
    build: release(asset, { state: { ...FRESH, current: 4, anchor: END }, upTo: 5, at: END + 9_000 }),
    refusedBy: 'vm: OP_SPLIT',
  },
  {
    attack: 'finished',
    name: `release (${asset}) › a coin at the address that carries no thread`,
    build: () => withoutThread(release(asset)()),
    refusedBy: 'vm: OP_SPLIT',
  },
];

const milestones = (asset: Asset): Attack[] =>
  (
    [
      [3, notElapsed],
      [1, 'the next milestone has not elapsed'],
      [0, 'no milestone is taken back'],
      [-1, 'no milestone is taken back'],
      [5, 'vm: OP_SPLIT'],
    ] as const
  ).map(([upTo, refusedBy]) => ({
    attack: 'segment' as const,
    name: `cancel (${asset}) › milestone ${upTo}, where the last elapsed is 2`,
    build: cancel(asset, { upTo }),
    refusedBy,
  }));

const forbidden = (asset: Asset): Attack[] => [
  {
    attack: 'segment',
    name: `cancel (${asset}) › the milestone before the last released, as of a time before it fell due`,
    build: () =>
      cancel(asset, { state: { ...ACTIVE, current: 2, anchor: START + 3_000 }, upTo: 1 })({
        now: START + 2_000,
      }),
    refusedBy: 'no milestone is taken back',
  },
  {
    attack: 'status',
    name: `pause (${asset}) › a paused plan, as of now`,
    build: pause(asset, PAUSED),
    refusedBy: 'the plan is active',
  },
  {
    attack: 'status',
    name: `resume (${asset}) › an active plan`,
    build: resume(asset, ACTIVE),
    refusedBy: 'the plan is paused',
  },
  {
    attack: 'terms',
    name: `resume (${asset}) › a second before the pause`,
    build: resume(asset, { ...PAUSED, pausedAt: NOW + 1 }),
    refusedBy: 'the plan was paused before',
  },
  ...(['pause', 'cancel'] as const).map((call): Attack => ({
    attack: 'flag',
    name: `${call} (${asset}) › a plan that is not cancelable`,
    build:
      call === 'pause'
        ? pause(asset, { ...ACTIVE, flags: 0 })
        : cancel(asset, { state: { ...ACTIVE, flags: 0 } }),
    refusedBy: 'the plan is cancelable',
  })),
];

const OWED = 25_000n;

const payouts = (asset: Asset): Attack[] => [
  {
    attack: 'payout',
    name: `cancel (${asset}) › what is owed goes to a thief`,
    build: () => changeOutput(cancel(asset)(), 0, { lockingBytecode: thief.lock }),
    refusedBy: 'output 0 goes to the recipient',
  },
  {
    attack: 'payout',
    name: `cancel (${asset}) › the recipient gets 1 less than is owed`,
    build: () => changeOutput(cancel(asset)(), 0, payment(asset, recipient.lock, OWED - 1n)),
    refusedBy: asset === 'BCH' ? 'the recipient gets what is owed' : 'the recipient gets the tokens owed',
  },
  {
    attack: 'payout',
    name: `cancel (${asset}) › while paused, the recipient gets nothing`,
    build: () => {
      const { outputs, ...spend } = cancel(asset, { state: PAUSED })();
      return { ...spend, outputs: outputs.slice(1) };
    },
    refusedBy: 'output 0 goes to the recipient',
  },
  ...(asset === 'BCH'
    ? []
    : ([
        {
          attack: 'payout',
          name: 'cancel (tokens) › the recipient gets 1 token more than is owed',
          build: () => {
            const spend = changeOutput(cancel('tokens')(), 0, fungible(recipient.lock, OWED + 1n));
            return changeOutput(spend, 1, fungible(owner.lock, TOTAL - 10_000n - OWED - 1n));
          },
          refusedBy: 'the recipient gets the tokens owed',
        },
        {
          attack: 'payout',
          name: 'cancel (tokens) › the recipient gets another token',
          build: () => {
            const other = owned('other tokens', outsider, fungible(outsider.lock, OWED, OTHER));
            return changeOutput(
              addInputs(cancel('tokens')(), [other]),
              0,
              fungible(recipient.lock, OWED, OTHER),
            );
          },
          refusedBy: 'the recipient gets the token',
        },
        {
          attack: 'decoy',
          name: 'cancel (tokens) › a decoy of 1 token at input 1, the true reserve left out',
          build: () => {
            const { inputs, outputs, ...spend } = cancel('tokens')();
            const decoy = reserveCoin(plan('tokens', {}), 1n, 'decoy');
            return {
              ...spend,
              inputs: inputs.map((input, index) => (index === 1 ? decoy : input)),
              outputs: [fungible(recipient.lock, 1n), ...outputs.slice(2)],
            };
          },
          refusedBy: 'the recipient gets the tokens owed',
        },
      ] satisfies Attack[])),
];

export const cases: ContractCases = {
  sizes: [8, 30].flatMap((milestones) =>
    ASSETS.flatMap((asset) => [
      ...(['release', 'cancel'] as const).map((call) => ({
        name: `${call}, ${milestones} milestones`,
        asset,
        count: milestones,
        build: () => (call === 'release' ? release : cancel)(asset)({ milestones }),
      })),
      {
        name: `push, ${milestones} milestones`,
        asset,
        count: milestones,
        build: sizedPush(asset, milestones),
      },
    ]),
  ),
  contract: 'budget-plan',
  source: 'budgets/budget-plan.cash',
  layout: budgetLayout,
  moves: [...moves, ...dueMoves(), ...budgetPushes, ...budgetMoves, ...budgetPushMoves],
  attacks: [
    ...ASSETS.flatMap((asset) => [
      ...releases(asset),
      ...milestones(asset),
      ...forbidden(asset),
      ...payouts(asset),
    ]),
    ...early(),
    ...deriveAttacks([...moves, ...budgetPushes], budgetLayout),
    ...budgetAttacks,
    ...budgetPushAttacks,
  ],
  absent: {
    ...COVENANT_ABSENT,
  },
};
