/** RecurringPayment: every allowed move, and every attack that a named `require` refuses. */
import { binToHex, sha256, utf8ToBin } from '@bitauth/libauth';
import { bytes, commitment, type CommitmentState } from '../../src/bch/commitment.js';
import { paymentAttacks, paymentMoves } from './boundaries/recurring-payment.js';
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
  ticket,
  ticketBack,
  type Asset,
} from './harness/coins.js';
import { deriveAttacks } from './harness/derive.js';
import { authority, outsider, owner, recipient } from './harness/parties.js';
import { paymentPushAttacks, paymentPushes, paymentPushMoves } from './pushes/recurring-payment.js';
import {
  addInputs,
  changeArgument,
  changeOutput,
  type Input,
  type Output,
  type Spend,
  withoutThread,
} from './harness/spend.js';

export const paymentLayout = commitment({
  status: 'u8',
  nextDue: 'u40',
  paid: 'u32',
  pool: 'u64',
  recipient: bytes(20),
  flags: 'u8',
});

const AMOUNT = 2_000n;
const INTERVAL = 1_000;
const TERM = 12;

/** The state, with the pool in it for BCH too, where it is the value of the coin and not in the commitment. */
type State = CommitmentState<(typeof paymentLayout)['layout']>;

type Terms = Variation & { readonly periods?: number };

const contractOf = (asset: Asset, { sibling = false, periods = TERM }: Terms): Bound =>
  bind('recurring-payment', [
    sha256.hash(utf8ToBin(sibling ? 'payment two' : 'payment one')),
    owner.hash,
    authority.hash,
    categoryOf(asset),
    AMOUNT,
    BigInt(INTERVAL),
    BigInt(periods),
    0n,
  ]);

/** Three periods are due: at NOW - 2,500, NOW - 1,500 and NOW - 500. Five are funded. */
const ACTIVE: State = {
  status: 0,
  nextDue: NOW - 2_500,
  paid: 2,
  pool: 5n * AMOUNT,
  recipient: binToHex(recipient.hash),
  flags: 5,
};
const PAUSED: State = { ...ACTIVE, status: 1 };

const threadOf = (asset: Asset, contract: Bound, state: State): Output =>
  asset === 'BCH'
    ? nft(contract.lock, paymentLayout.encode({ ...state, pool: 0n }), DUST + state.pool)
    : nft(contract.lock, paymentLayout.encode(state), DUST);

const SENDER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...SENDER, authority.publicKey, { sign: authority }] as const;
const RECIPIENT = [recipient.publicKey, { sign: recipient }] as const;

const clock = (now: number) => ({ locktime: now, chainTime: NOW + 1 });
const reserveInputs = (asset: Asset, contract: Bound, pool: bigint): Input[] =>
  asset === 'tokens' && pool > 0n ? [reserveCoin(contract, pool)] : [];
const goingOn = (asset: Asset, contract: Bound, state: State): Output[] => [
  threadOf(asset, contract, state),
  ...(asset === 'tokens' && state.pool > 0n ? [reserveOutput(contract, state.pool)] : []),
];

const least = (...numbers: readonly bigint[]): bigint => numbers.reduce((a, b) => (a < b ? a : b));

/** Periods due, funded and within the term. */
const settledAt = ({ nextDue, pool, paid }: State, now: number, periods = TERM): bigint => {
  const due = now < nextDue ? 0n : BigInt(Math.floor((now - nextDue) / INTERVAL)) + 1n;
  return least(due, pool / AMOUNT, ...(periods > 0 ? [BigInt(periods - paid)] : []));
};

const moveOn = (state: State, n: bigint): State => ({
  ...state,
  nextDue: Math.max(state.nextDue + Number(n) * INTERVAL, 0),
  paid: Math.max(state.paid + Number(n), 0),
  pool: state.pool - n * AMOUNT,
});

type Case = { readonly state?: State; readonly periods?: number; readonly at?: number };
type Claim = Case & { readonly n?: bigint };

const claim =
  (asset: Asset, { n = 3n, state = ACTIVE, periods = TERM, at = NOW }: Claim = {}) =>
  (variation: Variation = {}): Spend => {
    const contract = contractOf(asset, { ...variation, periods });
    const moved = moveOn(state, n);
    const after = moved.pool < 0n ? { ...moved, pool: 0n } : moved;
    const isLast = periods > 0 && after.paid === periods;
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'claim', [...RECIPIENT, n]),
        ...reserveInputs(asset, contract, state.pool),
        feeFrom(recipient),
      ],
      outputs: [
        ...(isLast ? [] : goingOn(asset, contract, after)),
        ...(n > 0n
          ? [payment(asset, recipient.lock, least(n * AMOUNT, state.pool))]
          : [plain(recipient.lock, DUST)]),
      ],
      ...clock(variation.now ?? at),
    };
  };

const refill =
  (
    asset: Asset,
    { added = 2n * AMOUNT, state = ACTIVE, periods = TERM }: Case & { readonly added?: bigint } = {},
  ) =>
  (variation: Variation = {}): Spend => {
    const contract = contractOf(asset, { ...variation, periods });
    const funds =
      asset === 'BCH'
        ? owned('funds', owner, plain(owner.lock, 100_000n))
        : owned('funds', owner, fungible(owner.lock, added > 0n ? added : 1n));
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'refill', SENDER),
        ...reserveInputs(asset, contract, state.pool),
        funds,
        feeFrom(owner),
      ],
      outputs: goingOn(asset, contract, { ...state, pool: state.pool + added }),
      ...clock(variation.now ?? NOW),
    };
  };

const pause =
  (asset: Asset, { state = ACTIVE, periods = TERM }: Case = {}) =>
  (variation: Variation = {}): Spend => {
    const now = variation.now ?? NOW;
    const contract = contractOf(asset, { ...variation, periods });
    const settled = state.status === 1 ? 0n : settledAt(state, now, periods);
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'pause', WITNESSED),
        ...reserveInputs(asset, contract, state.pool),
        feeFrom(owner),
        ticket(),
      ],
      outputs: [
        ...goingOn(asset, contract, { ...moveOn(state, settled), status: 1 }),
        ...(settled > 0n ? [payment(asset, recipient.lock, settled * AMOUNT)] : []),
        ticketBack(),
      ],
      ...clock(now),
    };
  };

const resume =
  (asset: Asset, { state = PAUSED }: Case = {}) =>
  (variation: Variation = {}): Spend => {
    const now = variation.now ?? NOW;
    const contract = contractOf(asset, variation);
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'resume', SENDER),
        feeFrom(owner),
      ],
      outputs: [threadOf(asset, contract, { ...state, status: 0, nextDue: now + INTERVAL })],
      ...clock(now),
    };
  };

const cancel =
  (asset: Asset, { state = ACTIVE, periods = TERM }: Case = {}) =>
  (variation: Variation = {}): Spend => {
    const now = variation.now ?? NOW;
    const contract = contractOf(asset, { ...variation, periods });
    const owed = state.status === 1 ? 0n : settledAt(state, now, periods) * AMOUNT;
    const rest = state.pool - owed;
    return {
      inputs: [
        called('thread', threadOf(asset, contract, state), contract, 'cancel', WITNESSED),
        ...reserveInputs(asset, contract, state.pool),
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

const atHeight = 'the locktime is a time';
const notDue = 'the periods are due';
const EARLY: State = { ...ACTIVE, nextDue: NOW + 100 };
const SHORT: State = { ...ACTIVE, pool: 2n * AMOUNT };
const BEHIND: State = { ...ACTIVE, pool: 0n };
const LAST: State = { ...ACTIVE, paid: 10, pool: 2n * AMOUNT };

const moves: Move[] = ASSETS.flatMap((asset): Move[] => [
  { name: 'claim › all periods due', asset, kind: 'pays', atHeight: notDue, build: claim(asset) },
  { name: 'claim › one of those due', asset, kind: 'pays', atHeight: notDue, build: claim(asset, { n: 1n }) },
  {
    name: 'claim › all that is funded',
    asset,
    kind: 'pays',
    atHeight: notDue,
    build: claim(asset, { state: SHORT, n: 2n }),
  },
  {
    name: 'claim › in an open-ended payment',
    asset,
    kind: 'pays',
    atHeight: notDue,
    build: claim(asset, { periods: 0, state: { ...ACTIVE, paid: 500 } }),
  },
  {
    name: 'claim › at the second at which a period falls due',
    asset,
    kind: 'pays',
    build: claim(asset, { n: 3n, state: { ...ACTIVE, nextDue: NOW - 2 * INTERVAL } }),
  },
  {
    name: 'claim › the last period of the term ends the thread',
    asset,
    kind: 'ends',
    atHeight: notDue,
    build: claim(asset, { n: 2n, state: LAST }),
  },
  { name: 'refill › by two periods', asset, kind: 'pays', build: refill(asset) },
  {
    name: 'refill › to the end of the term',
    asset,
    kind: 'pays',
    build: refill(asset, { added: 5n * AMOUNT }),
  },
  { name: 'refill › while paused', asset, kind: 'pays', build: refill(asset, { state: PAUSED }) },
  { name: 'refill › an empty pool', asset, kind: 'pays', build: refill(asset, { state: BEHIND }) },
  {
    name: 'refill › an open-ended payment',
    asset,
    kind: 'pays',
    build: refill(asset, { periods: 0, added: 20n * AMOUNT }),
  },
  {
    name: 'pause › pays the periods due',
    asset,
    kind: 'pays',
    atHeight,
    witnessed: true,
    build: pause(asset),
  },
  {
    name: 'pause › with nothing due',
    asset,
    kind: 'pays',
    atHeight,
    witnessed: true,
    build: pause(asset, { state: EARLY }),
  },
  {
    name: 'pause › long before the first period',
    asset,
    kind: 'pays',
    build: pause(asset, { state: { ...ACTIVE, nextDue: NOW + 86_400 } }),
  },
  {
    name: 'pause › pays all that is funded',
    asset,
    kind: 'pays',
    atHeight,
    witnessed: true,
    build: pause(asset, { state: SHORT }),
  },
  {
    name: 'pause › pays what the term still allows',
    asset,
    kind: 'pays',
    build: pause(asset, { state: { ...LAST, pool: 4n * AMOUNT } }),
  },
  {
    name: 'pause › an open-ended payment',
    asset,
    kind: 'pays',
    build: pause(asset, { periods: 0, state: { ...ACTIVE, paid: 500 } }),
  },
  { name: 'resume › a paused payment', asset, kind: 'keeps', atHeight, build: resume(asset) },
  {
    name: 'cancel › with periods due',
    asset,
    kind: 'ends',
    atHeight,
    witnessed: true,
    build: cancel(asset),
  },
  {
    name: 'cancel › with nothing due',
    asset,
    kind: 'ends',
    atHeight,
    witnessed: true,
    build: cancel(asset, { state: EARLY }),
  },
  { name: 'cancel › while paused', asset, kind: 'ends', build: cancel(asset, { state: PAUSED }) },
  { name: 'cancel › with nothing funded', asset, kind: 'ends', build: cancel(asset, { state: BEHIND }) },
  {
    name: 'cancel › pays what the term still allows',
    asset,
    kind: 'ends',
    build: cancel(asset, { state: { ...LAST, pool: 4n * AMOUNT } }),
  },
  {
    name: 'cancel › an open-ended payment',
    asset,
    kind: 'ends',
    build: cancel(asset, { periods: 0, state: { ...ACTIVE, paid: 500 } }),
  },
]);

const claims = (asset: Asset): Attack[] => [
  {
    attack: 'over-claim',
    name: `claim (${asset}) › a period more than is due`,
    build: claim(asset, { n: 4n }),
    refusedBy: notDue,
  },
  {
    attack: 'over-claim',
    name: `claim (${asset}) › a second before a period falls due`,
    build: claim(asset, { n: 3n, state: { ...ACTIVE, nextDue: NOW - 2 * INTERVAL + 1 } }),
    refusedBy: notDue,
  },
  {
    attack: 'over-claim',
    name: `claim (${asset}) › a period more than is funded`,
    build: claim(asset, { n: 3n, state: SHORT }),
    refusedBy: 'the periods are funded',
  },
  {
    attack: 'over-claim',
    name: `claim (${asset}) › the last units of a pool and a part of the dust`,
    build: () => {
      const state = { ...ACTIVE, pool: 3n * AMOUNT - 100n };
      const spend = claim(asset, { n: 3n, state })();
      return asset === 'BCH' ? changeOutput(spend, 0, { valueSatoshis: DUST - 100n }) : spend;
    },
    refusedBy: 'the periods are funded',
  },
  {
    attack: 'terms',
    name: `claim (${asset}) › a period more than the term has`,
    build: claim(asset, { n: 3n, state: { ...LAST, pool: 9n * AMOUNT } }),
    refusedBy: 'the periods are within the term',
  },
  ...[0n, -1n, -2n].map((n): Attack => ({
    attack: 'amount',
    name: `claim (${asset}) › ${n} periods`,
    build: claim(asset, { n }),
    refusedBy: 'a period is claimed',
  })),
  {
    attack: 'length',
    name: `claim (${asset}) › a number in a longer encoding`,
    build: () => changeArgument(claim(asset)(), 2, Uint8Array.of(3, 0)),
    refusedBy: 'vm: OP_MUL',
  },
  {
    attack: 'finished',
    name: `claim (${asset}) › a payment whose term is paid`,
    build: claim(asset, { n: 1n, state: { ...ACTIVE, paid: TERM } }),
    refusedBy: 'the periods are within the term',
  },
  {
    attack: 'finished',
    name: `claim (${asset}) › a coin at the address that carries no thread`,
    build: () => withoutThread(claim(asset)()),
    refusedBy: 'vm: OP_SPLIT',
  },
];

const refills = (asset: Asset): Attack[] => [
  {
    attack: 'amount',
    name: `refill (${asset}) › by nothing`,
    build: refill(asset, { added: 0n }),
    refusedBy: 'the pool grows',
  },
  {
    attack: 'amount',
    name: `refill (${asset}) › by less than nothing`,
    build: refill(asset, { added: -AMOUNT }),
    refusedBy: 'the pool grows',
  },
  {
    attack: 'terms',
    name: `refill (${asset}) › by half a period`,
    build: refill(asset, { added: AMOUNT / 2n }),
    refusedBy: 'the pool grows by whole periods',
  },
  {
    attack: 'terms',
    name: `refill (${asset}) › by a period more than the term has`,
    build: refill(asset, { added: 6n * AMOUNT }),
    refusedBy: 'the pool is within the term',
  },
  {
    attack: 'flag',
    name: `refill (${asset}) › a payment that is not refillable`,
    build: refill(asset, { state: { ...ACTIVE, flags: 1 } }),
    refusedBy: 'the payment is refillable',
  },
];

const forbidden = (asset: Asset): Attack[] => [
  {
    attack: 'status',
    name: `claim (${asset}) › a paused payment`,
    build: claim(asset, { state: PAUSED }),
    refusedBy: 'the payment is active',
  },
  {
    attack: 'status',
    name: `claim (${asset}) › a paused payment, made active again`,
    build: () => {
      const spend = claim(asset, { state: PAUSED })();
      const after = claim(asset)().outputs[0] as Output;
      return changeOutput(spend, 0, after);
    },
    refusedBy: 'the payment is active',
  },
  {
    attack: 'status',
    name: `pause (${asset}) › a paused payment`,
    build: pause(asset, { state: PAUSED }),
    refusedBy: 'the payment is active',
  },
  {
    attack: 'status',
    name: `pause (${asset}) › a paused payment with nothing due`,
    build: pause(asset, { state: { ...EARLY, status: 1 } }),
    refusedBy: 'the payment is active',
  },
  {
    attack: 'status',
    name: `resume (${asset}) › an active payment, so that what is due is forgiven`,
    build: resume(asset, { state: ACTIVE }),
    refusedBy: 'the payment is paused',
  },
  ...(['pause', 'cancel'] as const).map((call): Attack => ({
    attack: 'flag',
    name: `${call} (${asset}) › a payment that is not cancelable`,
    build: (call === 'pause' ? pause : cancel)(asset, { state: { ...ACTIVE, flags: 4 } }),
    refusedBy: 'the payment is cancelable',
  })),
];

const OWED = 3n * AMOUNT;
const getsOwed = (asset: Asset): string =>
  asset === 'BCH' ? 'the recipient gets what is owed' : 'the recipient gets the tokens owed';

/** Of pause and cancel alike: `at` is the output that pays the recipient. */
const payoutsOf = (
  asset: Asset,
  call: 'pause' | 'cancel',
  state: State,
  at: number,
  label: string,
  owed: bigint,
): Attack[] => {
  const build = (call === 'pause' ? pause : cancel)(asset, { state });
  const toRecipient =
    call === 'pause' ? 'the payout goes to the recipient' : 'output 0 goes to the recipient';
  return [
    {
      attack: 'payout',
      name: `${call} (${asset})${label} › what is owed goes to a thief`,
      build: () => changeOutput(build(), at, { lockingBytecode: thief.lock }),
      refusedBy: toRecipient,
    },
    {
      attack: 'payout',
      name: `${call} (${asset})${label} › the recipient gets 1 less than is owed`,
      build: () => changeOutput(build(), at, payment(asset, recipient.lock, owed - 1n)),
      refusedBy: getsOwed(asset),
    },
    ...(asset === 'BCH'
      ? []
      : ([
          {
            attack: 'payout',
            name: `${call} (${asset})${label} › the recipient gets another token`,
            build: () => {
              const other = owned('other tokens', outsider, fungible(outsider.lock, owed, OTHER));
              return changeOutput(addInputs(build(), [other]), at, fungible(recipient.lock, owed, OTHER));
            },
            refusedBy: 'the recipient gets the token',
          },
        ] satisfies Attack[])),
  ];
};

const payouts = (asset: Asset): Attack[] => [
  ...payoutsOf(asset, 'cancel', ACTIVE, 0, '', OWED),
  ...payoutsOf(asset, 'pause', ACTIVE, asset === 'BCH' ? 1 : 2, '', OWED),
  ...payoutsOf(asset, 'pause', SHORT, 1, ', nothing remains', 2n * AMOUNT),
  ...(asset === 'BCH'
    ? []
    : ([
        {
          attack: 'payout',
          name: 'cancel (tokens) › the recipient gets 1 token more than is owed',
          build: () => {
            const spend = changeOutput(cancel('tokens')(), 0, fungible(recipient.lock, OWED + 1n));
            return changeOutput(spend, 1, fungible(owner.lock, 2n * AMOUNT - 1n));
          },
          refusedBy: 'the recipient gets the tokens owed',
        },
        {
          attack: 'decoy',
          name: 'cancel (tokens) › a decoy of 1 token at input 1, the true reserve left out',
          build: () => {
            const { inputs, outputs, ...spend } = cancel('tokens')();
            const decoy = reserveCoin(contractOf('tokens', {}), 1n, 'decoy');
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
  contract: 'recurring-payment',
  source: 'payments/recurring-payment.cash',
  layout: paymentLayout,
  moves: [...moves, ...paymentPushes, ...paymentMoves, ...paymentPushMoves],
  attacks: [
    ...ASSETS.flatMap((asset) => [
      ...claims(asset),
      ...refills(asset),
      ...forbidden(asset),
      ...payouts(asset),
    ]),
    ...deriveAttacks([...moves, ...paymentPushes], paymentLayout),
    ...paymentAttacks,
    ...paymentPushAttacks,
  ],
  absent: {
    ...COVENANT_ABSENT,
    segment: 'no schedule: every period is alike',
  },
};
