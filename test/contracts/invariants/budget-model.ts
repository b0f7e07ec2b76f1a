/** Budget plans: random terms, and the moves that may be tried, with what the second implementation says of each. */
import { binToHex, hexToBin } from '@bitauth/libauth';
import fc from 'fast-check';
import { budgetLayout, milestoneLayout } from '../budget-plan.cases.js';
import { bind } from '../harness/bound.js';
import { ASSETS, categoryOf, type Asset } from '../harness/coins.js';
import { authority, owner, recipient } from '../harness/parties.js';
import { askedAmount, askedNumber, type Attempt, type Covenant, type Order } from './covenant.js';
import { elapsedMilestone, paidUpTo, type Milestone } from './exact.js';
import { anyFlags, anyId, anyLeast, anyStart, ascending, largestPool } from './numbers.js';

export type BudgetTerms = {
  readonly asset: Asset;
  readonly id: Uint8Array;
  readonly milestones: readonly Milestone[];
  readonly start: number;
  readonly flags: number;
  /** `pushMinimum`; 0: no push. */
  readonly least: bigint;
};

export type BudgetState = {
  readonly status: number;
  readonly current: number;
  readonly anchor: number;
  readonly pausedAt: number;
  readonly recipient: string;
  readonly flags: number;
};

/** Milestones, of which some pay nothing of their own. The first is a second after the start at the earliest. */
export const anyMilestones = (most: bigint): fc.Arbitrary<readonly Milestone[]> =>
  fc.integer({ min: 1, max: 6 }).chain((count) =>
    fc
      .record({
        seconds: ascending(count, 40_000_000),
        amounts: fc.array(fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: most / 6n })), {
          minLength: count,
          maxLength: count,
        }),
      })
      .map(({ seconds, amounts }) => {
        let amount = 0n;
        return seconds.map((at, index) => {
          amount += index === 0 ? (amounts[0] ?? 0n) + 1n : (amounts[index] ?? 0n);
          return { seconds: at + 1, amount };
        });
      }),
  );

export const anyBudgetTerms: fc.Arbitrary<BudgetTerms> = fc.constantFrom(...ASSETS).chain((asset) =>
  fc.record({
    asset: fc.constant(asset),
    id: anyId,
    milestones: fc.oneof(anyMilestones(6_000n), anyMilestones(largestPool(asset))),
    start: anyStart,
    flags: anyFlags(1),
    least: anyLeast(asset),
  }),
);

const totalOf = (milestones: readonly Milestone[]): bigint => milestones.at(-1)?.amount ?? 0n;
const secondsOf = (milestones: readonly Milestone[], number: number): number =>
  milestones[number - 1]?.seconds ?? 0;
const timeOf = ({ status, pausedAt }: BudgetState, now: number): number => (status === 1 ? pausedAt : now);

const keeps = { pays: [], adds: 0n, opens: false } as const;
const CONTROLLER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...CONTROLLER, authority.publicKey, { sign: authority }] as const;

type Tried = (
  terms: BudgetTerms,
  state: BudgetState,
  order: Order,
  now: number,
) => Omit<Attempt<BudgetState>, 'call'>;

const release: Tried = ({ milestones }, state, order, now) => {
  const { current, anchor } = state;
  const elapsed = elapsedMilestone(milestones, state, timeOf(state, now));
  const upTo = current + Number(askedAmount(order, BigInt(elapsed - current)));
  const paid = paidUpTo(milestones, upTo);
  const amount = paid - paidUpTo(milestones, current);
  const isKnown = upTo >= 0 && upTo <= milestones.length;
  const next = isKnown ? upTo : current;
  return {
    args: [recipient.publicKey, { sign: recipient }, BigInt(upTo)],
    after:
      upTo === milestones.length
        ? null
        : {
            ...state,
            current: next,
            anchor: anchor + secondsOf(milestones, next) - secondsOf(milestones, current),
          },
    pays: [{ to: recipient.lock, amount }],
    adds: 0n,
    opens: true,
    by: recipient,
    isWitnessed: false,
    isAllowed: upTo > current && upTo <= elapsed,
  };
};

const pause: Tried = (_, state, __, now) => ({
  ...keeps,
  args: WITNESSED,
  after: { ...state, status: 1, pausedAt: now },
  by: owner,
  isWitnessed: true,
  isAllowed: state.status === 0 && (state.flags & 1) !== 0,
});

const resume: Tried = (_, state, __, now) => ({
  ...keeps,
  args: CONTROLLER,
  after: { ...state, status: 0, anchor: state.anchor + now - state.pausedAt, pausedAt: 0 },
  by: owner,
  isWitnessed: false,
  isAllowed: state.status === 1 && now >= state.pausedAt,
});

const cancel: Tried = ({ milestones }, state, order, now) => {
  const elapsed = elapsedMilestone(milestones, state, timeOf(state, now));
  const named = askedNumber(order, elapsed, milestones.length);
  const paid = paidUpTo(milestones, named);
  const before = paidUpTo(milestones, state.current);
  const owed = paid > before ? paid - before : 0n;
  return {
    args: [...WITNESSED, BigInt(named)],
    after: null,
    pays: [
      { to: recipient.lock, amount: owed },
      { to: owner.lock, amount: totalOf(milestones) - before - owed },
    ],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: true,
    isAllowed: named === elapsed && (state.flags & 1) !== 0,
  };
};

/** All milestones elapsed, or the number that an order names in their place. */
const push: Tried = ({ milestones, least }, state, order, now) => {
  const { current, anchor } = state;
  const elapsed = elapsedMilestone(milestones, state, now);
  const upTo = askedNumber(order, elapsed, milestones.length);
  const amount = paidUpTo(milestones, upTo) - paidUpTo(milestones, current);
  const isLast = upTo === milestones.length;
  return {
    args: [BigInt(upTo)],
    after: isLast
      ? null
      : {
          ...state,
          current: upTo,
          anchor: anchor + secondsOf(milestones, upTo) - secondsOf(milestones, current),
        },
    pays: [{ to: recipient.lock, amount }],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: false,
    isPush: true,
    isAllowed:
      state.status === 0 && least > 0n && upTo === elapsed && amount > 0n && (amount >= least || isLast),
  };
};

const TRIED: Readonly<Record<string, Tried>> = { release, push, pause, resume, cancel };

/** A budget plan of some terms. */
export const budgetCovenant = (terms: BudgetTerms): Covenant<BudgetState> => {
  const { asset, milestones, start } = terms;
  return {
    name: 'budget-plan',
    asset,
    contract: bind('budget-plan', [
      terms.id,
      owner.hash,
      authority.hash,
      categoryOf(asset),
      hexToBin(milestones.map(milestoneLayout.encode).join('')),
      terms.least,
    ]),
    calls: [
      'release',
      'release',
      'release',
      'push',
      'push',
      'pause',
      'pause',
      'resume',
      'resume',
      'resume',
      'cancel',
    ],
    first: {
      status: 0,
      current: 0,
      anchor: start,
      pausedAt: 0,
      recipient: binToHex(recipient.hash),
      flags: terms.flags,
    },
    span: { from: start, to: start + (milestones.at(-1)?.seconds ?? 0) },
    encode: (state) => budgetLayout.encode({ ...state, anchor: Math.max(state.anchor, 0) }),
    decode: (commitment) => {
      const state = budgetLayout.decode(commitment);
      if (state === null) throw new Error(`${commitment} is no state of a plan`);
      return state;
    },
    remaining: ({ current }) => totalOf(milestones) - paidUpTo(milestones, current),
    boundaries: ({ current, anchor }) =>
      milestones.map(({ seconds }) => anchor + seconds - secondsOf(milestones, current)),
    attempt: (state, order, now) => {
      const tried = TRIED[order.call];
      if (tried === undefined) throw new Error(`a plan has no ${order.call}`);
      return { call: order.call, ...tried(terms, state, order, now) };
    },
  };
};
