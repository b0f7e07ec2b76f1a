import test from 'ava';
import { drawTimeLine } from '../../../src/products/budgets/view.js';

const START = 1_780_272_000;
const HOUR = 3_600;
const to = (hours: number, state: 'releasable' | 'pending' | 'returned') => ({
  dueAt: START + hours * HOUR,
  releasedAt: null,
  state,
});
const legend = '# released  * can be released  o to come  x returned';

test('the time line › given milestones › each has its mark at its time, and now is shown', (t) => {
  const milestones = [
    { dueAt: null, releasedAt: START + 12 * HOUR, state: 'released' as const },
    to(29.5, 'releasable'),
    to(59, 'pending'),
  ];
  t.is(
    drawTimeLine({ milestones, startDate: START }, START + 40 * HOUR),
    [
      '|------------#-----------------*----------------------------o|',
      '                                         ^ now',
      '2026-06-01 00:00 UTC                      2026-06-03 11:00 UTC',
      legend,
    ].join('\n'),
  );
});

test('the time line › given now before the start, or none › it stays on the line, or is left out', (t) => {
  const plan = { milestones: [to(1, 'returned')], startDate: START };
  const [line, now] = drawTimeLine(plan, START - HOUR).split('\n');
  t.is(line, `|${'-'.repeat(59)}x|`);
  t.is(now, ' ^ now');
  t.is(drawTimeLine(plan, null).split('\n').length, 3);
});
