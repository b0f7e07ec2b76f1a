import { readFileSync } from 'node:fs';
import test from 'ava';
import { alice, authority, bob } from '../../../fixtures/people.js';
import { checkPlanTerms, planContract } from '../../../src/products/budgets/contract.js';
import type { Milestone } from '../../../src/products/budgets/plan.js';
import { dueAt, elapsedMilestone, releasableAt } from '../../../src/products/budgets/rules.js';
import { planState, readState } from '../../../src/products/budgets/state.js';
import {
  buildCancel,
  buildPause,
  buildRelease,
  buildResume,
} from '../../../src/products/budgets/transactions.js';
import { isAccepted, planWith, rowsOf, spendAt, START, TOKEN, witness } from './draft-plan.js';

const DAY = 86_400;
const uneven = rowsOf([10_000n, 7 * DAY], [1_000n, 1], [250_000n, 30 * DAY], [40_000n, 3 * DAY]);
const thirty: Milestone[] = Array.from({ length: 30 }, (_, index) => ({
  amount: 1_000n + BigInt(index),
  durationSeconds: 1 + index * 1_000,
  description: '',
}));

for (const tokenCategory of [null, TOKEN]) {
  const asset = tokenCategory === null ? 'BCH' : 'tokens';
  for (const [name, milestones, currents] of [
    ['uneven', uneven, [0, 1, 2, 3]],
    ['thirty', thirty, [0, 15, 29]],
  ] as const) {
    test(`release › given ${asset}, ${name} milestones, around each boundary › what the rules allow is accepted, one more is refused`, (t) => {
      for (const current of currents) {
        const plan = planWith(milestones, { current, tokenCategory });
        const boundaries = name === 'uneven' ? milestones.map((_, index) => index + 1) : [16, 30];
        for (const milestone of boundaries.filter((boundary) => boundary > current)) {
          for (const offset of [-1, 0, 1]) {
            const now = dueAt(plan, milestone) + offset;
            const { upTo, count } = releasableAt(plan, now);
            const spend = spendAt(plan, bob, now);
            const where = `${current} to ${upTo} at milestone ${milestone} ${offset}`;
            if (count > 0)
              t.true(
                isAccepted(() => buildRelease(spend, upTo), bob),
                where,
              );
            if (upTo < milestones.length) {
              t.false(
                isAccepted(() => buildRelease(spend, upTo + 1), bob),
                `${where}, one more`,
              );
            }
          }
        }
      }
    });
  }

  test(`release › given ${asset}, PAUSED › only what had elapsed at the pause, whatever the time`, (t) => {
    for (const offset of [-1, 0, 1]) {
      const pausedAt = START + 7 * DAY + 1 + offset;
      const plan = planWith(uneven, { pausedAt, tokenCategory });
      const spend = spendAt(plan, bob, pausedAt + 300 * DAY);
      const { upTo } = releasableAt(plan, spend.locktime);
      t.is(upTo, offset < 0 ? 1 : 2);
      t.true(isAccepted(() => buildRelease(spend, upTo), bob));
      t.false(isAccepted(() => buildRelease(spend, upTo + 1), bob));
    }
  });

  test(`cancel › given ${asset}, around each boundary › exactly what has elapsed is accepted`, (t) => {
    for (const current of [0, 2]) {
      const plan = planWith(uneven, { current, tokenCategory });
      for (let milestone = current + 1; milestone <= uneven.length; milestone += 1) {
        for (const offset of [-1, 0, 1]) {
          const now = dueAt(plan, milestone) + offset;
          const spend = spendAt(plan, alice, now);
          const elapsed = elapsedMilestone(plan, now);
          const where = `${current}, milestone ${milestone} ${offset}`;
          t.true(
            isAccepted(() => buildCancel(spend, witness), alice),
            where,
          );
          // The builder is made to believe in another time; the contract goes by the locktime.
          const believing = (time: number) => ({ ...spend, record: { ...plan, paused_at: time } });
          if (elapsed > current) {
            const fewer = believing(dueAt(plan, elapsed) - 1);
            t.false(
              isAccepted(() => buildCancel(fewer, witness), alice),
              `${where}, one fewer`,
            );
          }
          if (elapsed < uneven.length) {
            const more = believing(dueAt(plan, elapsed + 1));
            t.false(
              isAccepted(() => buildCancel(more, witness), alice),
              `${where}, one more`,
            );
          }
        }
      }
    }
  });

  test(`pause and resume › given ${asset} › what has not elapsed falls due later by the time it stood still`, (t) => {
    const plan = planWith(uneven, { current: 1, tokenCategory });
    const pausedAt = dueAt(plan, 2) + 100;
    const pausing = buildPause(spendAt(plan, alice, pausedAt), witness);
    t.true(isAccepted(() => pausing, alice));
    t.like(readState(pausing.outputs[0]?.token?.nft?.commitment ?? ''), { status: 1, pausedAt, current: 1 });

    const paused = planWith(uneven, { current: 1, pausedAt, tokenCategory });
    const resuming = buildResume(spendAt(paused, alice, pausedAt + 5 * DAY));
    t.true(isAccepted(() => resuming, alice));
    t.like(readState(resuming.outputs[0]?.token?.nft?.commitment ?? ''), {
      status: 0,
      pausedAt: 0,
      anchor: plan.anchor + 5 * DAY,
    });
    t.false(isAccepted(() => buildResume(spendAt(paused, alice, pausedAt - 1)), alice));
  });
}

test('pause, cancel › given a plan that is not cancelable › the contract refuses both', (t) => {
  const plan = planWith(uneven, { cancelable: false });
  const spend = spendAt(plan, alice, START + DAY);
  t.false(isAccepted(() => buildPause(spend, witness), alice));
  t.false(isAccepted(() => buildCancel(spend, witness), alice));
});

test('every move › given somebody else in its place › the contract refuses it', (t) => {
  const plan = planWith(uneven);
  const at = START + 8 * DAY;
  t.false(isAccepted(() => buildRelease(spendAt(plan, bob, at), 1), alice));
  t.false(isAccepted(() => buildPause(spendAt(plan, alice, at), witness), bob));
  t.false(isAccepted(() => buildCancel(spendAt(plan, alice, at), witness), bob));
  const paused = planWith(uneven, { pausedAt: at });
  t.false(isAccepted(() => buildResume(spendAt(paused, alice, at)), bob));
});

test('the parameters › given milestones › the packed list is cumulative, 13 bytes each', (t) => {
  const { constructorParams } = planContract(planWith(rowsOf([1_000n, 60], [600n, 1])), 'local');
  t.is(constructorParams[1], alice.address('local').hash);
  t.is(constructorParams[2], authority.address('local').hash);
  t.is(constructorParams[3], '00'.repeat(32));
  t.is(constructorParams[4], '3c00000000' + 'e803000000000000' + '3d00000000' + '4006000000000000');
});

test('the parameters › given equal terms with another id › another address', (t) => {
  const plan = planWith(uneven);
  const other = { ...plan, on_chain_budget_id: '12'.repeat(32) };
  t.not(planContract(plan, 'local').address.text, planContract(other, 'local').address.text);
});

test("the state › given the contract's source › its layout is the one declared here", (t) => {
  const source = readFileSync(
    new URL('../../../contracts/budgets/budget-plan.cash', import.meta.url),
    'utf8',
  );
  const documented = [...source.matchAll(/^ \* {3}\[(\d+), (\d+)\)\s+(\w+)/gm)].map(
    ([, from, to, name]) => [name, { offset: Number(from), size: Number(to) - Number(from) }] as const,
  );
  t.deepEqual(documented.length, 6);
  t.deepEqual(planState.offsets, Object.fromEntries(documented) as typeof planState.offsets);
  t.is(planState.size, 33);
});

test('the parameters › given one that is out of its range › there is a finding, and only then', (t) => {
  const plan = planWith(uneven);
  const failing = (changes: Partial<typeof plan>) =>
    checkPlanTerms({ ...plan, ...changes })
      .filter(({ ok }) => !ok)
      .map(({ check }) => check);
  t.deepEqual(failing({}), []);
  const p2sh = plan.contract_address;
  t.deepEqual(failing({ creator: p2sh }), ['controller']);
  t.deepEqual(failing({ recipient: p2sh }), ['recipient']);
  t.deepEqual(failing({ creator: authority.address('local').text }), ['controller']);
  t.deepEqual(failing({ recipient: authority.address('local').text }), ['recipient']);
  t.deepEqual(failing({ total_amount: plan.total_amount + 1n }), ['totalAmount']);
  t.deepEqual(failing({ startDate: 499_999_999 }), ['startDate']);
  t.deepEqual(failing({ startDate: 3_999_000_000 }), ['milestones.3']);
  t.deepEqual(failing({ tokenCategory: '00'.repeat(32) }), ['tokenCategory']);
  t.deepEqual(failing({ tokenCategory: plan.thread?.category ?? '' }), ['tokenCategory']);
  const zero = rowsOf([0n, 1]);
  t.deepEqual(failing({ milestones: zero, total_amount: 0n }), ['milestones.0.amount', 'totalAmount']);
  const still = rowsOf([5n, 0]);
  t.deepEqual(failing({ milestones: still, total_amount: 5n }), ['milestones.0.durationSeconds']);
  const many = [...thirty, ...rowsOf([1n, 1])];
  const total = many.reduce((sum, { amount }) => sum + amount, 0n);
  t.deepEqual(failing({ milestones: many, total_amount: total }), ['milestones']);
});
