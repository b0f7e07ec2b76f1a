/** Stream: every allowed move, and every attack that a named `require` refuses. */
import { binToHex, hexToBin, sha256, utf8ToBin } from '@bitauth/libauth';
import { bytes, commitment, type CommitmentState } from '../../src/bch/commitment.js';
import { streamAttacks, streamMoves } from './boundaries/stream.js';
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
import { sizedPush, streamPushAttacks, streamPushes, streamPushMoves } from './pushes/stream.js';
import {
  addInputs,
  changeArgument,
  changeOutput,
  type Output,
  type Spend,
  withoutThread,
} from './harness/spend.js';

export const streamLayout = commitment({
  status: 'u8',
  released: 'u64',
  start: 'u40',
  pausedAt: 'u40',
  recipient: bytes(20),
  flags: 'u8',
});
type State = CommitmentState<(typeof streamLayout)['layout']>;

export const segmentLayout = commitment({ offset: 'u40', cumulative: 'u64', step: 'u32' });
/** Offset in seconds, cumulative in the smallest unit, step in seconds. */
type Segment = readonly [offset: number, cumulative: bigint, step: number];
type Schedule = readonly Segment[];

const encodeSchedule = (schedule: Schedule): Uint8Array =>
  hexToBin(
    schedule.map(([offset, cumulative, step]) => segmentLayout.encode({ offset, cumulative, step })).join(''),
  );

/** What the contract calls the last segment begun: its number from 1, 0 before the first. */
const lastBegun = (schedule: Schedule, elapsed: number): number =>
  schedule.filter(([offset]) => offset <= elapsed).length;

const vestedAt = (schedule: Schedule, elapsed: number): bigint => {
  const number = lastBegun(schedule, elapsed);
  const begun = schedule[number - 1];
  const next = schedule[number];
  if (begun === undefined) return 0n;
  const [offset, cumulative, step] = begun;
  if (step === 0 || next === undefined) return cumulative;
  const steps = BigInt(Math.floor((elapsed - offset) / step) * step);
  return cumulative + ((next[1] - cumulative) * steps) / BigInt(next[0] - offset);
};

const SCHEDULES: Readonly<Record<string, Schedule>> = {
  mixed: [
    [1_000, 10_000n, 60],
    [11_000, 60_000n, 0],
    [20_000, 100_000n, 0],
  ],
  linear: [
    [0, 0n, 1],
    [9_999, 100_000n, 0],
  ],
  cliff: [
    [2_500, 25_000n, 1],
    [10_000, 100_000n, 0],
  ],
  step: [
    [0, 0n, 3_600],
    [36_000, 100_000n, 0],
  ],
  hybrid: [
    [600, 40_000n, 1],
    [10_600, 100_000n, 0],
  ],
  tranche: [
    [5_000, 30_000n, 0],
    [6_000, 30_001n, 0],
    [8_000, 100_000n, 0],
  ],
};
const MIXED = SCHEDULES['mixed'] as Schedule;
const TOTAL = 100_000n;
const START = NOW - 6_000;

const stream = (asset: Asset, { sibling = false }: Variation, schedule: Schedule): Bound =>
  bind('stream', [
    sha256.hash(utf8ToBin(sibling ? 'stream two' : 'stream one')),
    owner.hash,
    authority.hash,
    categoryOf(asset),
    encodeSchedule(schedule),
    0n,
  ]);

const ACTIVE: State = {
  status: 0,
  released: 20_000n,
  start: START,
  pausedAt: 0,
  recipient: binToHex(recipient.hash),
  flags: 3,
};
const PAUSED: State = { ...ACTIVE, status: 1, pausedAt: NOW - 2_000 };

const satoshisAt = (asset: Asset, { released }: State): bigint =>
  DUST + (asset === 'BCH' ? TOTAL - released : 0n);
const threadOf = (asset: Asset, contract: Bound, state: State): Output =>
  nft(contract.lock, streamLayout.encode(state), satoshisAt(asset, state));

const SENDER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...SENDER, authority.publicKey, { sign: authority }] as const;
const RECIPIENT = [recipient.publicKey, { sign: recipient }] as const;

const clock = (now: number, chainTime = NOW + 1) => ({ locktime: now, chainTime });
const timeOf = (state: State, now: number): number => (state.status === 1 ? state.pausedAt : now);

type Claim = {
  readonly amount?: bigint;
  readonly state?: State;
  readonly segment?: number;
  readonly schedule?: Schedule;
  readonly at?: number;
};

const claim =
  (asset: Asset, { amount = 14_900n, state = ACTIVE, segment, schedule = MIXED, at = NOW }: Claim = {}) =>
  (variation: Variation = {}): Spend => {
    const now = variation.now ?? at;
    const contract = stream(asset, variation, schedule);
    const number = segment ?? lastBegun(schedule, timeOf(state, now) - state.start);
    const after = { ...state, released: state.released + amount };
    const before = TOTAL - state.released;
    const remaining = TOTAL - after.released;
    const goesOn: Output[] = [
      { ...threadOf(asset, contract, after) },
      ...(asset === 'tokens' ? [reserveOutput(contract, remaining)] : []),
    ];
    const args: Argument[] = [...RECIPIENT, amount, BigInt(number)];
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'claim', args),
        ...(asset === 'tokens' ? [reserveCoin(contract, before)] : []),
        feeFrom(recipient),
      ],
      outputs: [
        ...(remaining === 0n ? [] : goesOn),
        ...(amount > 0n ? [payment(asset, recipient.lock, amount)] : [plain(recipient.lock, DUST)]),
      ],
      ...clock(now, Math.max(at, NOW) + 1),
    };
  };

const keep =
  (
    asset: Asset,
    call: string,
    args: readonly Argument[],
    state: State,
    next: (now: number) => Partial<State>,
    at = NOW,
  ) =>
  (variation: Variation = {}): Spend => {
    const contract = stream(asset, variation, MIXED);
    const now = variation.now ?? at;
    const isWitnessed = call === 'pause';
    const after = { ...state, ...next(now) };
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, call, args),
        feeFrom(call === 'transfer' ? recipient : owner),
        ...(isWitnessed ? [ticket()] : []),
      ],
      outputs: [
        { ...threadOf(asset, contract, state), ...nftOnly(contract, after, satoshisAt(asset, state)) },
        ...(isWitnessed ? [ticketBack()] : []),
      ],
      ...clock(now),
    };
  };

const nftOnly = (contract: Bound, state: State, satoshis: bigint): Output => {
  // A block height before the start gives a start below zero, which no commitment carries: any state will do there.
  const safe = state.start < 0 ? { ...state, start: 0 } : state;
  return nft(contract.lock, streamLayout.encode(safe), satoshis);
};

const pause = (asset: Asset, state = ACTIVE) =>
  keep(asset, 'pause', WITNESSED, state, (now) => ({ status: 1, pausedAt: now }));
const resume = (asset: Asset, state = PAUSED, at = NOW) =>
  keep(
    asset,
    'resume',
    SENDER,
    state,
    (now) => ({ status: 0, start: state.start + now - state.pausedAt, pausedAt: 0 }),
    at,
  );
const transfer = (asset: Asset, state = ACTIVE) =>
  keep(asset, 'transfer', [...RECIPIENT, outsider.hash], state, () => ({
    recipient: binToHex(outsider.hash),
  }));

type Cancel = {
  readonly state?: State;
  readonly segment?: number;
  readonly at?: number;
  readonly schedule?: Schedule;
};

const cancel =
  (asset: Asset, { state = ACTIVE, segment, at = NOW, schedule = MIXED }: Cancel = {}) =>
  (variation: Variation = {}): Spend => {
    const now = variation.now ?? at;
    const contract = stream(asset, variation, schedule);
    const elapsed = timeOf(state, now) - state.start;
    const vested = vestedAt(schedule, elapsed) - state.released;
    const owed = vested > 0n ? vested : 0n;
    const rest = TOTAL - state.released - owed;
    const number = segment ?? lastBegun(schedule, elapsed);
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'cancel', [
          ...WITNESSED,
          BigInt(number),
        ]),
        ...(asset === 'tokens' ? [reserveCoin(contract, TOTAL - state.released)] : []),
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

const END = START + 20_000;
const vestedNotPaused = 'the amount has vested';
const atHeight = 'the locktime is a time';

const shapes = (asset: Asset): Move[] =>
  Object.entries(SCHEDULES).flatMap(([shape, schedule]): Move[] => {
    const times = [2_600, 3_600, 6_000, 7_200].filter((elapsed) => vestedAt(schedule, elapsed) > 0n);
    const fresh: State = { ...ACTIVE, released: 0n };
    return times.map((elapsed) => ({
      name: `claim › ${shape}: all that has vested after ${elapsed} seconds`,
      asset,
      kind: 'pays',
      build: claim(asset, {
        schedule,
        state: fresh,
        amount: vestedAt(schedule, elapsed),
        at: START + elapsed,
      }),
    }));
  });

const moves: Move[] = ASSETS.flatMap((asset): Move[] => [
  {
    name: 'claim › all that has vested',
    asset,
    kind: 'pays',
    atHeight: vestedNotPaused,
    build: claim(asset),
  },
  {
    name: 'claim › a part',
    asset,
    kind: 'pays',
    atHeight: vestedNotPaused,
    build: claim(asset, { amount: 1_000n }),
  },
  {
    name: 'claim › while paused, what had vested at the pause',
    asset,
    kind: 'pays',
    build: claim(asset, {
      state: PAUSED,
      amount: vestedAt(MIXED, PAUSED.pausedAt - START) - PAUSED.released,
    }),
  },
  {
    name: 'claim › the last unit ends the thread',
    asset,
    kind: 'ends',
    atHeight: vestedNotPaused,
    build: claim(asset, { amount: 80_000n, at: END }),
  },
  { name: 'transfer › to another recipient', asset, kind: 'keeps', build: transfer(asset) },
  { name: 'transfer › while paused', asset, kind: 'keeps', build: transfer(asset, PAUSED) },
  { name: 'pause › an active stream', asset, kind: 'keeps', atHeight, witnessed: true, build: pause(asset) },
  {
    name: 'resume › a paused stream',
    asset,
    kind: 'keeps',
    atHeight: 'the stream was paused before',
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
    build: cancel(asset, { state: { ...ACTIVE, released: 34_900n } }),
  },
  {
    name: 'cancel › before the first segment',
    asset,
    kind: 'ends',
    atHeight,
    witnessed: true,
    build: cancel(asset, { state: { ...ACTIVE, released: 0n, start: NOW - 500 } }),
  },
  {
    name: 'cancel › before the start',
    asset,
    kind: 'ends',
    build: cancel(asset, { state: { ...ACTIVE, released: 0n, start: NOW + 500 } }),
  },
  {
    name: 'cancel › while paused',
    asset,
    kind: 'ends',
    build: cancel(asset, { state: PAUSED }),
  },
]);

/** I11: one unit more than what has vested, around every boundary of every shape. */
const boundaries = (): Attack[] =>
  Object.entries(SCHEDULES).flatMap(([shape, schedule]) => {
    const edges = schedule.flatMap(([offset]) => [offset - 1, offset, offset + 1]);
    const within = schedule.flatMap(([offset, , step]) =>
      step > 1 ? [offset + step - 1, offset + step] : [],
    );
    return [...new Set([...edges, ...within])].map((elapsed): Attack => ({
      attack: 'over-claim',
      name: `claim › ${shape}: 1 more than has vested after ${elapsed} seconds`,
      build: claim('BCH', {
        schedule,
        state: { ...ACTIVE, released: 0n },
        amount: vestedAt(schedule, elapsed) + 1n,
        at: START + elapsed,
      }),
      refusedBy: 'the amount has vested',
    }));
  });

const claims = (asset: Asset): Attack[] => [
  {
    attack: 'over-claim',
    name: `claim (${asset}) › 1 more than has vested`,
    build: claim(asset, { amount: 14_901n }),
    refusedBy: 'the amount has vested',
  },
  {
    attack: 'over-claim',
    name: `claim (${asset}) › while paused, what vested after the pause`,
    build: claim(asset, { state: PAUSED, amount: 14_900n }),
    refusedBy: 'the amount has vested',
  },
  ...[0n, -1n, -20_000n].map((amount): Attack => ({
    attack: 'amount',
    name: `claim (${asset}) › an amount of ${amount}`,
    build: claim(asset, { amount }),
    refusedBy: 'the amount is positive',
  })),
  {
    attack: 'length',
    name: `claim (${asset}) › an amount in a longer encoding`,
    build: () => changeArgument(claim(asset, { amount: 100n })(), 2, Uint8Array.of(100, 0)),
    refusedBy: 'vm: OP_ADD',
  },
  {
    attack: 'length',
    name: `claim (${asset}) › a segment in a longer encoding`,
    build: () => changeArgument(claim(asset)(), 3, Uint8Array.of(1, 0)),
    refusedBy: 'vm: OP_MUL',
  },
  {
    attack: 'finished',
    name: `claim (${asset}) › a stream that is all claimed`,
    build: claim(asset, { state: { ...ACTIVE, released: TOTAL }, amount: 1n, at: END }),
    refusedBy: 'the amount has vested',
  },
  {
    attack: 'finished',
    name: `claim (${asset}) › a coin at the address that carries no thread`,
    build: () => withoutThread(claim(asset)()),
    refusedBy: 'vm: OP_SPLIT',
  },
];

const segments = (asset: Asset): Attack[] =>
  (
    [
      ['claim', 2, 'the segment has begun'],
      ['claim', 3, 'the segment has begun'],
      ['claim', 0, 'no later segment has begun'],
      ['claim', -1, 'vm: OP_SPLIT'],
      ['claim', 4, 'vm: OP_SPLIT'],
      ['cancel', 2, 'the segment has begun'],
      ['cancel', 3, 'the segment has begun'],
      ['cancel', 0, 'no later segment has begun'],
      ['cancel', -1, 'vm: OP_SPLIT'],
      ['cancel', 4, 'vm: OP_SPLIT'],
    ] as const
  ).map(([call, segment, refusedBy]) => ({
    attack: 'segment' as const,
    name: `${call} (${asset}) › segment ${segment}, where the last begun is 1`,
    build: (call === 'claim' ? claim : cancel)(asset, { segment }),
    refusedBy,
  }));

const beyond = (asset: Asset): Attack[] => [
  {
    attack: 'segment',
    name: `claim (${asset}) › segment 1, drawn on beyond its end`,
    build: claim(asset, { segment: 1, amount: 60_000n, at: START + 19_000 }),
    refusedBy: 'no later segment has begun',
  },
  {
    attack: 'segment',
    name: `cancel (${asset}) › segment 1 after the end, so that the rest is the sender's`,
    build: () => cancel(asset, { segment: 1 })({ now: END }),
    refusedBy: 'no later segment has begun',
  },
];

const forbidden = (asset: Asset): Attack[] => [
  {
    attack: 'status',
    name: `pause (${asset}) › a paused stream, as of now`,
    build: pause(asset, PAUSED),
    refusedBy: 'the stream is active',
  },
  {
    attack: 'status',
    name: `resume (${asset}) › an active stream`,
    build: resume(asset, ACTIVE),
    refusedBy: 'the stream is paused',
  },
  {
    attack: 'terms',
    name: `resume (${asset}) › a second before the pause`,
    build: resume(asset, { ...PAUSED, pausedAt: NOW + 1 }),
    refusedBy: 'the stream was paused before',
  },
  ...(['pause', 'cancel'] as const).map((call): Attack => ({
    attack: 'flag',
    name: `${call} (${asset}) › a stream that is not cancelable`,
    build:
      call === 'pause'
        ? pause(asset, { ...ACTIVE, flags: 2 })
        : cancel(asset, { state: { ...ACTIVE, flags: 2 } }),
    refusedBy: 'the stream is cancelable',
  })),
  {
    attack: 'flag',
    name: `transfer (${asset}) › a stream that is not transferable`,
    build: transfer(asset, { ...ACTIVE, flags: 1 }),
    refusedBy: 'the stream is transferable',
  },
  ...(
    [
      ['19 bytes', outsider.hash.slice(1)],
      ['21 bytes', Uint8Array.from([...recipient.hash, 0])],
      ['nothing', new Uint8Array()],
    ] as const
  ).map(([name, hash]): Attack => ({
    attack: 'length',
    name: `transfer (${asset}) › a new recipient of ${name}`,
    build: () => {
      const spend = changeArgument(transfer(asset)(), 2, hash);
      const state = streamLayout.encode(ACTIVE);
      const shifted = state.slice(0, 38) + binToHex(hash) + state.slice(78);
      const [thread] = spend.outputs;
      return changeOutput(
        spend,
        0,
        nft(thread?.lockingBytecode ?? thief.lock, shifted, satoshisAt(asset, ACTIVE)),
      );
    },
    refusedBy: 'the new recipient is a hash of 20 bytes',
  })),
];

const OWED = 14_900n;

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
            return changeOutput(spend, 1, fungible(owner.lock, TOTAL - 20_000n - OWED - 1n));
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
            const contract = stream('tokens', {}, MIXED);
            return {
              ...spend,
              inputs: inputs.map((input, index) =>
                index === 1 ? reserveCoin(contract, 1n, 'decoy') : input,
              ),
              outputs: [fungible(recipient.lock, 1n), ...outputs.slice(2)],
            };
          },
          refusedBy: 'the recipient gets the tokens owed',
        },
      ] satisfies Attack[])),
];

/** A schedule of `count` segments, all of them growing but the last. */
const scheduleOf = (count: number): Schedule =>
  Array.from({ length: count }, (_, index) => [
    index * 1_000,
    (TOTAL * BigInt(index)) / BigInt(count - 1),
    index === count - 1 ? 0 : 60,
  ]);

export const cases: ContractCases = {
  sizes: [8, 30].flatMap((count) =>
    ASSETS.flatMap((asset) => {
      const schedule = scheduleOf(count);
      const state = { ...ACTIVE, released: 1n };
      return [
        {
          name: `claim, ${count} segments`,
          asset,
          count,
          build: claim(asset, { schedule, state, amount: 1n }),
        },
        { name: `cancel, ${count} segments`, asset, count, build: cancel(asset, { schedule, state }) },
        { name: `push, ${count} segments`, asset, count, build: sizedPush(asset, count) },
      ];
    }),
  ),
  contract: 'stream',
  source: 'streams/stream.cash',
  layout: streamLayout,
  moves: [...moves, ...ASSETS.flatMap(shapes), ...streamPushes, ...streamMoves, ...streamPushMoves],
  attacks: [
    ...ASSETS.flatMap((asset) => [
      ...claims(asset),
      ...segments(asset),
      ...beyond(asset),
      ...forbidden(asset),
      ...payouts(asset),
    ]),
    ...boundaries(),
    ...deriveAttacks([...moves, ...streamPushes], streamLayout),
    ...streamAttacks,
    ...streamPushAttacks,
  ],
  absent: {
    ...COVENANT_ABSENT,
  },
};
