/** What the terms of a budget plan forbid. */
import { recipient } from '../../harness/parties.js';
import type { BudgetState, BudgetTerms } from '../../invariants/budget-model.js';
import type { Attempt } from '../../invariants/covenant.js';
import { elapsedMilestone, paidUpTo } from '../../invariants/exact.js';
import type { Random } from '../random.js';
import { asOf, type Broken } from './rule-faults.js';
import type { Scene } from './scene.js';
import { statusRules } from './status-faults.js';

type BudgetScene = Scene<BudgetTerms, BudgetState>;
type BrokenPlan = Broken<BudgetState>;

const secondsOf = ({ terms }: BudgetScene, number: number): number =>
  terms.milestones[number - 1]?.seconds ?? 0;

const elapsedIn = ({ terms, state, now }: BudgetScene): number =>
  elapsedMilestone(terms.milestones, state, state.status === 1 ? state.pausedAt : now);

const releaseOf = (scene: BudgetScene, upTo: number): Attempt<BudgetState> => {
  const { terms, state } = scene;
  const { milestones } = terms;
  const amount = paidUpTo(milestones, upTo) - paidUpTo(milestones, state.current);
  const anchor = state.anchor + secondsOf(scene, upTo) - secondsOf(scene, state.current);
  return {
    call: 'release',
    args: [recipient.publicKey, { sign: recipient }, BigInt(upTo)],
    after: upTo === milestones.length ? null : { ...state, current: upTo, anchor },
    pays: [{ to: recipient.lock, amount }],
    adds: amount < 0n ? -amount : 0n,
    opens: true,
    by: recipient,
    isWitnessed: false,
    isAllowed: false,
  };
};

const releases = (scene: BudgetScene, random: Random): BrokenPlan[] => {
  const { terms, state } = scene;
  const { current } = state;
  const elapsed = elapsedIn(scene);
  const count = terms.milestones.length;
  const hasElapsed = { invariant: 'I3', refusedBy: 'the last milestone has elapsed' } as const;
  const isReleased = { invariant: 'I3', refusedBy: 'a milestone is released' } as const;
  const later = elapsed < count ? [elapsed + 1, elapsed + 1 + random.integer(count - elapsed), count] : [];
  const due =
    state.status === 1 || elapsed <= current ? [] : [current + 1 + random.integer(elapsed - current)];
  const before = current > 0 ? [current - 1, random.integer(current)] : [];
  return [
    ...[...new Set(later)].map((upTo): BrokenPlan => ({
      name: `milestone ${upTo}, though ${elapsed} have elapsed`,
      ...hasElapsed,
      attempt: releaseOf(scene, upTo),
    })),
    ...due.map((upTo): BrokenPlan => ({
      name: `milestone ${upTo} a second before it elapses`,
      ...hasElapsed,
      at: state.anchor + secondsOf(scene, upTo) - secondsOf(scene, current) - 1,
      attempt: releaseOf(scene, upTo),
    })),
    { name: 'no milestone', ...isReleased, attempt: releaseOf(scene, current) },
    ...[...new Set(before)].map((upTo): BrokenPlan => ({
      name: `milestone ${upTo} again`,
      ...isReleased,
      attempt: releaseOf(scene, upTo),
    })),
  ];
};

/** Cancelled up to another milestone than the last elapsed, with payouts consistent with it. */
const cancels = (scene: BudgetScene): BrokenPlan[] => {
  const { terms, covenant, state, now } = scene;
  const elapsed = elapsedIn(scene);
  return terms.milestones.flatMap((_, share): BrokenPlan[] => {
    const named = (elapsed + 1 + share) % (terms.milestones.length + 1);
    const attempt = covenant.attempt(state, { call: 'cancel', asked: 'elsewhere', share }, now);
    const refusedBy =
      named > elapsed
        ? 'the last milestone has elapsed'
        : named < state.current
          ? 'no milestone is taken back'
          : 'the next milestone has not elapsed';
    return [{ name: `up to milestone ${named}, not ${elapsed}`, invariant: 'I3', refusedBy, attempt }];
  });
};

/** What was released is taken back, as of a time before it fell due: the witness lies. */
const takesBack = (scene: BudgetScene): BrokenPlan[] => {
  const { covenant, state } = scene;
  if (state.current === 0) return [];
  const upTo = state.current - 1;
  const at = state.anchor - 1;
  const active = { ...state, status: 0, pausedAt: 0 };
  const attempt = covenant.attempt(active, { call: 'cancel', asked: 'all', share: 0 }, at);
  const args = [...attempt.args.slice(0, -1), BigInt(upTo)];
  return [
    {
      name: `up to milestone ${upTo} again`,
      invariant: 'I3',
      refusedBy: 'no milestone is taken back',
      state: active,
      at,
      attempt: { ...attempt, args },
    },
  ];
};

const resumes = (scene: BudgetScene): BrokenPlan[] => {
  const { state } = scene;
  if (state.status !== 1) return [];
  return [1, 1_000].map((seconds) =>
    asOf(scene, state.pausedAt - seconds, 'resume', {
      name: `as of ${seconds} s before its pause`,
      invariant: 'I6',
      refusedBy: 'the plan was paused before',
    }),
  );
};

/** What breaks one rule of a call in a scene. */
export const budgetRules = (scene: BudgetScene, call: string, random: Random): BrokenPlan[] => {
  if (call === 'release') return releases(scene, random);
  const paused = { ...scene.state, status: 1, pausedAt: scene.now };
  const active = { ...scene.state, status: 0, pausedAt: 0 };
  return [
    ...statusRules(scene, call, { noun: 'plan', paused, active }),
    ...(call === 'cancel' ? [...cancels(scene), ...takesBack(scene)] : []),
    ...(call === 'resume' ? resumes(scene) : []),
  ];
};
