/** The table of a budget plan as rows of the oracle. Source: the covenants' specification. */
import { binToHex } from '@bitauth/libauth';
import type { BudgetTerms } from './budget-model.js';
import { elapsedMilestone, paidUpTo } from './exact.js';
import {
  AUTHORITY,
  OWNER,
  ends,
  goesOn,
  onlyChanges,
  pays,
  pushes,
  readFields,
  row,
  signedBy,
  standsStill,
  unsigned,
  witnessedTime,
  type Check,
  type Rows,
} from './oracle-rows.js';

const readPlan = (state: Uint8Array | null) => {
  const fields = readFields(state, [1, 1, 5, 5, 20, 1]);
  if (fields === null) return null;
  const [status, current, anchor, pausedAt, recipient, flags] = fields as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  return {
    status: unsigned(status),
    current: unsigned(current),
    anchor: unsigned(anchor),
    pausedAt: unsigned(pausedAt),
    recipient: binToHex(recipient),
    flags: unsigned(flags),
  };
};

export const budgetRows =
  ({ milestones, least }: BudgetTerms): Rows =>
  (situation) => {
    const before = readPlan(situation.before);
    if (before === null) throw new Error('the thread carried no state of a plan');
    const after = readPlan(situation.after);
    const total = milestones.at(-1)?.amount ?? 0n;
    const current = Number(before.current);
    const next = Number(after?.current ?? BigInt(milestones.length));
    const elapsedAt = (time: number): number =>
      elapsedMilestone(
        milestones,
        { current, anchor: Number(before.anchor) },
        before.status === 1n ? Number(before.pausedAt) : time,
      );
    const secondsOf = (number: number): bigint => BigInt(milestones[number - 1]?.seconds ?? 0);
    const remaining = total - paidUpTo(milestones, next);
    const both = { controller: OWNER, authority: AUTHORITY };
    const recipient = { recipient: before.recipient };
    const isCancelable: Check = ['I7', (before.flags & 1n) === 1n, 'the plan is not cancelable'];
    const stood = (after?.anchor ?? 0n) - before.anchor;
    const owed = paidUpTo(milestones, elapsedAt(witnessedTime(situation))) - paidUpTo(milestones, current);
    const pausedAt = after?.pausedAt ?? -1n;
    return [
      row(
        'release',
        signedBy(situation, recipient),
        onlyChanges(before, after, ['current', 'anchor']),
        goesOn(situation, remaining),
        [
          ['I3', next > current, 'nothing is released'],
          ['I3', next <= elapsedAt(situation.now), 'more is released than has elapsed'],
          ['I3', stood === secondsOf(next) - secondsOf(current), 'the later milestones move'],
          ['I4', next < milestones.length, 'the thread goes on though all is released'],
          ['I6', before.status === 0n || next <= elapsedAt(situation.now), 'it elapses while paused'],
        ],
      ),
      row('last release', signedBy(situation, recipient), ends(situation), [
        ['I3', elapsedAt(situation.now) === milestones.length, 'the plan ends before all has elapsed'],
      ]),
      row(
        'push',
        onlyChanges(before, after, ['current', 'anchor']),
        goesOn(situation, remaining),
        [
          ['I3', next <= elapsedAt(situation.now), 'more is pushed than has elapsed'],
          ['I3', stood === secondsOf(next) - secondsOf(current), 'the later milestones move'],
          ['I4', next < milestones.length, 'the thread goes on though all is released'],
        ],
        pushes(situation, before, {
          amount: paidUpTo(milestones, next) - paidUpTo(milestones, current),
          least,
          isLast: false,
        }),
      ),
      row(
        'last push',
        ends(situation),
        [['I3', elapsedAt(situation.now) === milestones.length, 'the plan ends before all has elapsed']],
        pushes(situation, before, { amount: total - paidUpTo(milestones, current), least, isLast: true }),
      ),
      row(
        'pause',
        signedBy(situation, both),
        onlyChanges(before, after, ['status', 'pausedAt']),
        standsStill(situation, remaining),
        [
          isCancelable,
          ['I6', before.status === 0n && after?.status === 1n, 'the plan was not active'],
          ['I6', pausedAt >= BigInt(witnessedTime(situation)), 'the pause costs what had elapsed'],
          ['I6', pausedAt <= BigInt(situation.now), 'the pause is of a time to come'],
        ],
      ),
      row(
        'resume',
        signedBy(situation, { controller: OWNER }),
        onlyChanges(before, after, ['status', 'anchor', 'pausedAt']),
        standsStill(situation, remaining),
        [
          ['I6', before.status === 1n && after?.status === 0n, 'the plan was not paused'],
          ['I3', after?.pausedAt === 0n, 'a time of pause stays behind'],
          ['I3', stood <= BigInt(situation.now) - before.pausedAt, 'the milestones are put off'],
          ['I6', stood >= 0n, 'it elapses while paused'],
        ],
      ),
      row('cancel', signedBy(situation, both), ends(situation), [
        isCancelable,
        ...pays(situation, before.recipient, owed),
      ]),
    ];
  };
