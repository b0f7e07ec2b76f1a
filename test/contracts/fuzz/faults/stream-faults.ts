/** What the terms of a stream forbid. */
import type { Party } from '../../harness/parties.js';
import { outsider, recipient } from '../../harness/parties.js';
import { callAt, changeOutput, type Output, type Spend } from '../../harness/spend.js';
import type { Attempt } from '../../invariants/covenant.js';
import { begunAt, hasVested, vestedBy } from '../../invariants/exact.js';
import type { StreamState, StreamTerms } from '../../invariants/stream-model.js';
import type { Random } from '../random.js';
import { statusRules } from './status-faults.js';
import { asOf, firstWhere, inState, type Broken } from './rule-faults.js';
import { attemptAt, type Scene } from './scene.js';

type StreamScene = Scene<StreamTerms, StreamState>;
type BrokenStream = Broken<StreamState>;

const holderOf = ({ state }: StreamScene): Party =>
  Buffer.from(recipient.hash).toString('hex') === state.recipient ? recipient : outsider;

const totalOf = ({ terms }: StreamScene): bigint => terms.segments.at(-1)?.cumulative ?? 0n;

const claimOf = (scene: StreamScene, amount: bigint, segment: number): Attempt<StreamState> => {
  const by = holderOf(scene);
  const released = scene.state.released + amount;
  return {
    call: 'claim',
    args: [by.publicKey, { sign: by }, amount, BigInt(segment)],
    after: released === totalOf(scene) ? null : { ...scene.state, released },
    pays: [{ to: by.lock, amount }],
    adds: amount < 0n ? -amount : 0n,
    opens: true,
    by,
    isWitnessed: false,
    isAllowed: false,
  };
};

const claims = (scene: StreamScene, random: Random): BrokenStream[] => {
  const { terms, state, now } = scene;
  const { segments } = terms;
  const isPaused = state.status === 1;
  const elapsedAt = (time: number): number => time - state.start;
  const elapsed = elapsedAt(isPaused ? state.pausedAt : now);
  const right = begunAt(segments, elapsed);
  const vested = vestedBy(segments, elapsed);
  const most = vested - state.released;
  const total = totalOf(scene);
  const hasVestedRule = { invariant: 'I3', refusedBy: 'the amount has vested' } as const;
  const isPositive = { invariant: 'I3', refusedBy: 'the amount is positive' } as const;
  const more = 1n + random.amount(total - vested);
  const over = [1n, more, total - vested].filter((by) => by > 0n && state.released + most + by <= total + 1n);
  const claimed =
    most > 0n ? [...new Set([most, 1n + random.amount(most - 1n)])].filter((n) => n <= most) : [];
  const earlier = isPaused
    ? []
    : claimed.flatMap((amount): BrokenStream[] => {
        const isVested = (at: number): boolean => at >= 0 && hasVested(segments, at, state.released + amount);
        const first = firstWhere(-1, elapsed, isVested);
        if (first === null) return [];
        const before = first - 1;
        return [
          {
            name: `${amount} a second before it has vested`,
            ...hasVestedRule,
            at: state.start + before,
            attempt: claimOf(scene, amount, begunAt(segments, before)),
          },
        ];
      });
  const wentOn = vestedBy(segments, elapsedAt(now)) - state.released;
  return [
    ...[...new Set(over)].map((by): BrokenStream => ({
      name: `${by} more than has vested`,
      ...hasVestedRule,
      attempt: claimOf(scene, most + by, right),
    })),
    { name: 'nothing', ...isPositive, attempt: claimOf(scene, 0n, right) },
    ...(state.released > 0n
      ? [{ name: 'less than nothing', ...isPositive, attempt: claimOf(scene, -1n, right) }]
      : []),
    ...earlier,
    ...(isPaused && wentOn > most
      ? [{ name: 'as if it had not been paused', ...hasVestedRule, attempt: claimOf(scene, wentOn, right) }]
      : []),
  ];
};

/** Another segment than the last begun, and what its line would give. */
const segments = (scene: StreamScene, call: string): BrokenStream[] => {
  const { terms, covenant, state, now } = scene;
  const right = begunAt(terms.segments, (state.status === 1 ? state.pausedAt : now) - state.start);
  return terms.segments.flatMap((_, share): BrokenStream[] => {
    const number = (right + 1 + share) % (terms.segments.length + 1);
    const attempt = covenant.attempt(state, { call, asked: 'elsewhere', share }, now);
    const amount = attempt.pays[0]?.amount ?? 0n;
    const rest = attempt.pays[1]?.amount ?? 0n;
    if (rest < 0n || amount < 0n || (call === 'claim' && amount === 0n)) return [];
    if (state.released + amount > totalOf(scene)) return [];
    return [
      {
        name: `segment ${number}, not ${right}`,
        invariant: 'I3',
        refusedBy: number > right ? 'the segment has begun' : 'no later segment has begun',
        attempt,
      },
    ];
  });
};

/** A recipient of another length, and a state that has it. */
const ofLength =
  (length: number) =>
  (spend: Spend): Spend => {
    const unlock = callAt(spend);
    const next = outsider.hash;
    const hash = Uint8Array.from({ length }, (_, index) => next[index] ?? 0);
    const thread = spend.outputs[0] as Output;
    const token = thread.token as NonNullable<Output['token']>;
    const state = token.nft?.commitment ?? new Uint8Array();
    const commitment = Uint8Array.from([...state.slice(0, 19), ...hash, ...state.slice(39)]);
    const changed = changeOutput(spend, 0, {
      token: { ...token, nft: { capability: 'mutable', commitment } },
    });
    const inputs = changed.inputs.map((input, index) =>
      index === 0 ? { ...input, unlock: { ...unlock, args: [...unlock.args.slice(0, 2), hash] } } : input,
    );
    return { ...changed, inputs };
  };

const transfers = (scene: StreamScene): BrokenStream[] => {
  const flags = scene.state.flags | 2;
  const movable = { ...scene.state, flags };
  const attempt = attemptAt({ ...scene, state: movable }, 'transfer');
  return [
    ...[19, 21, 0].map((length): BrokenStream => ({
      name: `to a hash of ${length} bytes`,
      invariant: 'I3',
      refusedBy: 'the new recipient is a hash of 20 bytes',
      state: movable,
      attempt,
      change: ofLength(length),
    })),
    inState(scene, { ...scene.state, flags: flags - 2 }, 'transfer', {
      name: 'of a stream that stays',
      invariant: 'I7',
      refusedBy: 'the stream is transferable',
    }),
  ];
};

/** Resumed as of a time before its pause, with a start that is consistent with it. */
const resumes = (scene: StreamScene): BrokenStream[] => {
  const { state } = scene;
  if (state.status !== 1) return [];
  return [1, 1_000].map((seconds) =>
    asOf(scene, state.pausedAt - seconds, 'resume', {
      name: `as of ${seconds} s before its pause`,
      invariant: 'I6',
      refusedBy: 'the stream was paused before',
    }),
  );
};

/** What breaks one rule of a call in a scene. */
export const streamRules = (scene: StreamScene, call: string, random: Random): BrokenStream[] => {
  if (call === 'claim') return [...claims(scene, random), ...segments(scene, call)];
  if (call === 'transfer') return transfers(scene);
  const paused = { ...scene.state, status: 1, pausedAt: scene.now };
  const active = { ...scene.state, status: 0, pausedAt: 0 };
  return [
    ...statusRules(scene, call, { noun: 'stream', paused, active }),
    ...(call === 'cancel' ? segments(scene, call) : []),
    ...(call === 'resume' ? resumes(scene) : []),
  ];
};
