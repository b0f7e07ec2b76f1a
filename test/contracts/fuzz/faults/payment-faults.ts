/** What the terms of a recurring payment forbid. */
import { owner, recipient } from '../../harness/parties.js';
import { changeOutput, type Spend } from '../../harness/spend.js';
import type { Attempt } from '../../invariants/covenant.js';
import { settledBy } from '../../invariants/exact.js';
import type { PaymentState, PaymentTerms } from '../../invariants/payment-model.js';
import type { Random } from '../random.js';
import { asOf, HEIGHT, inState, type Broken } from './rule-faults.js';
import type { Scene } from './scene.js';
import { statusRules } from './status-faults.js';

type PaymentScene = Scene<PaymentTerms, PaymentState>;
type BrokenPayment = Broken<PaymentState>;

const movedOn = ({ terms, state }: PaymentScene, count: bigint): PaymentState => ({
  ...state,
  nextDue: state.nextDue + Number(count) * terms.interval,
  paid: state.paid + Number(count),
  pool: state.pool - count * terms.amount,
});

const claimOf = (scene: PaymentScene, count: bigint): Attempt<PaymentState> => {
  const { terms } = scene;
  const amount = count * terms.amount;
  const after = { ...movedOn(scene, count), status: 0 };
  const pool = after.pool < 0n ? 0n : after.pool;
  return {
    call: 'claim',
    args: [recipient.publicKey, { sign: recipient }, count],
    after: terms.periods > 0 && after.paid === terms.periods ? null : { ...after, pool },
    pays: [{ to: recipient.lock, amount }],
    adds: amount < 0n ? -amount : 0n,
    opens: true,
    by: recipient,
    isWitnessed: false,
    isAllowed: false,
  };
};

/** Which check says first that so many periods are too many; null: none. */
const tooMany = ({ terms, state, now }: PaymentScene, count: bigint): string | null => {
  const { amount, interval, periods } = terms;
  if (now < state.nextDue + (Number(count) - 1) * interval) return 'the periods are due';
  if (periods > 0 && state.paid + Number(count) > periods) return 'the periods are within the term';
  return state.pool < count * amount ? 'the periods are funded' : null;
};

const littleEndian = (number: bigint, size: number): number[] =>
  Array.from({ length: size }, (_, index) => Number((number >> BigInt(8 * index)) & 0xffn));

const POOL_AT = 10;
const POOL_SIZE = 8;

const stateIn = ({ outputs }: Spend): Uint8Array => outputs[0]?.token?.nft?.commitment ?? new Uint8Array();

/** The spend with another pool in its new state. */
const withPool = (spend: Spend, field: readonly number[]): Spend => {
  const token = spend.outputs[0]?.token;
  if (token?.nft === undefined) return spend;
  const state = stateIn(spend);
  const rest = state.slice(POOL_AT + POOL_SIZE);
  const commitment = Uint8Array.from([...state.slice(0, POOL_AT), ...field, ...rest]);
  return changeOutput(spend, 0, { token: { ...token, nft: { capability: 'mutable', commitment } } });
};

/** The state says that the pool is larger than what was paid in. */
const counted =
  (by: bigint) =>
  (spend: Spend): Spend => {
    const pool = stateIn(spend).slice(POOL_AT, POOL_AT + POOL_SIZE);
    const number = pool.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
    return withPool(spend, littleEndian(number + by, POOL_SIZE));
  };

/** As many periods as are settled, while it stands still. */
const claimsPaused = (scene: PaymentScene): BrokenPayment[] => {
  const { terms, state, now } = scene;
  const settled = settledBy(terms, state, now);
  if (settled === 0n) return [];
  const paused = { ...state, status: 1 };
  const attempt = claimOf({ ...scene, state: paused }, settled);
  const refusedBy = 'the payment is active';
  return [{ name: 'while it stands still', invariant: 'I6', refusedBy, state: paused, attempt }];
};

/** A pool of tokens below nothing, as scripts write a number. */
const belowNothing =
  (by: bigint) =>
  (spend: Spend): Spend =>
    withPool(spend, [...littleEndian(by, 7), 0x80]);

/** Due, and within the term, but not funded: a state that lacks little of it, so that a thread can still be an output. */
const claimsUnfunded = (scene: PaymentScene, random: Random): BrokenPayment[] => {
  const { terms, state, covenant, now } = scene;
  const { amount, interval, periods } = terms;
  const left = periods === 0 ? 5 : periods - state.paid - 1;
  if (left < 1) return [];
  const count = 1 + random.integer(left);
  const lacks = 1n + BigInt(random.integer(Number(amount < 190n ? amount : 190n)));
  const pool = BigInt(count) * amount - lacks;
  const due = { ...state, status: 0, pool, nextDue: now - (count - 1) * interval };
  if (due.nextDue < 0 || pool < 0n) return [];
  return [
    {
      name: `${count} periods, of which ${lacks} are not funded`,
      invariant: 'I1',
      refusedBy: 'the periods are funded',
      state: due,
      attempt: { ...claimOf({ ...scene, state: due }, BigInt(count)) },
      ...(covenant.asset === 'tokens' ? { change: belowNothing(lacks) } : {}),
    },
  ];
};

/** Due and funded, but beyond the term. */
const claimsBeyondTerm = (scene: PaymentScene, random: Random): BrokenPayment[] => {
  const { terms, state, now } = scene;
  const { amount, interval, periods } = terms;
  if (periods === 0) return [];
  const count = periods - state.paid + 1 + random.integer(2);
  const pool = BigInt(count + random.integer(2)) * amount;
  const due = { ...state, status: 0, pool, nextDue: now - (count - 1) * interval };
  if (due.nextDue < 0) return [];
  return [
    {
      name: `${count} periods, though ${periods - state.paid} are left`,
      invariant: 'I3',
      refusedBy: 'the periods are within the term',
      state: due,
      attempt: claimOf({ ...scene, state: due }, BigInt(count)),
    },
  ];
};

const claims = (scene: PaymentScene, random: Random): BrokenPayment[] => {
  const { terms, state, now } = scene;
  const settled = settledBy(terms, state, now);
  if (state.status === 1) return [];
  const isClaimed = { invariant: 'I3', refusedBy: 'a period is claimed' } as const;
  const over = [1n, 1n + BigInt(random.integer(3))].map((more) => settled + more);
  const due = settled > 0n ? 1n + BigInt(random.integer(Number(settled))) : 0n;
  const early = state.nextDue + (Number(due) - 1) * terms.interval - 1;
  return [
    ...[...new Set(over)].flatMap((count): BrokenPayment[] => {
      const refusedBy = tooMany(scene, count);
      const name = `${count} periods, though ${settled} are settled`;
      return refusedBy === null ? [] : [{ name, invariant: 'I3', refusedBy, attempt: claimOf(scene, count) }];
    }),
    ...(due > 0n
      ? [
          {
            name: `${due} periods a second before the last is due`,
            invariant: 'I3' as const,
            refusedBy: 'the periods are due',
            at: early,
            attempt: claimOf(scene, due),
          },
        ]
      : []),
    { name: 'no period', ...isClaimed, attempt: claimOf(scene, 0n) },
    ...(state.paid > 0 && state.nextDue > terms.interval
      ? [{ name: 'less than no period', ...isClaimed, attempt: claimOf(scene, -1n) }]
      : []),
    ...claimsPaused(scene),
    ...claimsUnfunded(scene, random),
    ...claimsBeyondTerm(scene, random),
  ];
};

const refillOf = ({ state }: PaymentScene, added: bigint): Attempt<PaymentState> => ({
  call: 'refill',
  args: [owner.publicKey, { sign: owner }],
  after: { ...state, pool: state.pool + added },
  pays: added < 0n ? [{ to: owner.lock, amount: -added }] : [],
  adds: added > 0n ? added : 0n,
  opens: true,
  by: owner,
  isWitnessed: false,
  isAllowed: false,
});

const refills = (scene: PaymentScene, random: Random): BrokenPayment[] => {
  const { terms, covenant } = scene;
  const { amount, periods } = terms;
  const refillable = { ...scene.state, flags: scene.state.flags | 4 };
  const there = { ...scene, state: refillable };
  const { paid, pool } = refillable;
  const room = periods === 0 ? 5n : BigInt(periods - paid) - pool / amount;
  const grows = { invariant: 'I1', refusedBy: 'the pool grows', state: refillable } as const;
  const whole = { invariant: 'I1', refusedBy: 'the pool grows by whole periods', state: refillable } as const;
  const isTokens = covenant.asset === 'tokens';
  const odd = amount > 1n && room > 0n ? [1n, amount - 1n] : [];
  const good = room > 0n ? 1n + BigInt(random.integer(Number(room))) : 0n;
  return [
    ...(periods > 0
      ? [1n, 1n + BigInt(random.integer(3))].map((more): BrokenPayment => ({
          name: `${more} periods beyond the term`,
          invariant: 'I1',
          refusedBy: 'the pool is within the term',
          state: refillable,
          attempt: refillOf(there, (room + more) * amount),
        }))
      : []),
    ...odd.map((added): BrokenPayment => ({
      name: `by ${added}`,
      ...whole,
      attempt: refillOf(there, added),
    })),
    // Without a reserve there is no output 1 that could say that nothing was added.
    ...(isTokens && pool === 0n ? [] : [{ name: 'by nothing', ...grows, attempt: refillOf(there, 0n) }]),
    ...(pool > amount ? [{ name: 'by less than nothing', ...grows, attempt: refillOf(there, -amount) }] : []),
    ...(good > 0n
      ? [
          ...[amount, 1n].map((by): BrokenPayment => ({
            name: `counted ${by} larger than it is`,
            invariant: 'I5',
            refusedBy: 'output 0 carries the new state',
            state: refillable,
            attempt: refillOf(there, good * amount),
            change: counted(by),
          })),
          {
            ...inState(scene, { ...refillable, flags: refillable.flags - 4 }, 'refill', {
              name: 'of what is not refillable',
              invariant: 'I7',
              refusedBy: 'the payment is refillable',
            }),
            attempt: refillOf(
              { ...scene, state: { ...refillable, flags: refillable.flags - 4 } },
              good * amount,
            ),
          },
        ]
      : []),
  ];
};

/** A pause that pays a period less than is settled, and says so. */
const pauses = (scene: PaymentScene): BrokenPayment[] => {
  const { terms, state, now, covenant } = scene;
  const settled = settledBy(terms, state, now);
  if (state.status === 1 || settled === 0n || (state.flags & 1) === 0) return [];
  const legit = covenant.attempt(state, { call: 'pause', asked: 'all', share: 0 }, now);
  return [...new Set([settled - 1n, 0n])].map((count): BrokenPayment => ({
    name: `${count} periods are paid of ${settled}`,
    invariant: 'I6',
    refusedBy: refusedShort(scene, settled),
    attempt: {
      ...legit,
      after: { ...movedOn(scene, count), status: 1 },
      pays: [{ to: recipient.lock, amount: count * terms.amount }],
    },
  }));
};

/** What notices a pause that pays too little: the pool, or with all of it settled the payout, or the state. */
const refusedShort = ({ terms, covenant, state }: PaymentScene, settled: bigint): string => {
  if (covenant.asset === 'BCH') return 'output 0 keeps the pool';
  return state.pool > settled * terms.amount
    ? 'the reserve holds what remains'
    : 'the payout goes to the recipient';
};

/** What breaks one rule of a call in a scene. */
export const paymentRules = (scene: PaymentScene, call: string, random: Random): BrokenPayment[] => {
  if (call === 'claim') return claims(scene, random);
  if (call === 'refill') return refills(scene, random);
  const paused = { ...scene.state, status: 1 };
  const active = { ...scene.state, status: 0 };
  return [
    ...statusRules(scene, call, { noun: 'payment', paused, active }),
    ...(call === 'pause' ? pauses(scene) : []),
    ...(call === 'resume' && scene.state.status === 1
      ? [
          asOf(scene, HEIGHT, call, {
            name: 'as of a block height',
            invariant: 'I3',
            refusedBy: 'the locktime is a time',
          }),
        ]
      : []),
  ];
};
