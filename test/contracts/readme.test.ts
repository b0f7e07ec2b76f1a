import fs from 'node:fs';
import test from 'ava';
import { fillReadme, findUnexplained, matrix, README, weights } from './harness/report.js';

test('matrix › every attack is tried on every contract, or it is written why not', (t) => {
  t.deepEqual(findUnexplained(), []);
  t.log(matrix());
});

test('README › its generated parts are true (else run `node scripts/compile.js test/contracts/harness/write-readme.ts`)', async (t) => {
  const readme = fs.readFileSync(README, 'utf8');
  t.is(await fillReadme(readme), readme);
});

/** A fifth of what nodes relay since May 2026, 10,000 bytes. */
const ORDINARY = 2_200;

test('sizes › up to 8 segments or milestones every unlocking script is below 2,200 bytes', (t) => {
  const large = weights().filter(({ count, unlocking }) => count <= 8 && unlocking >= ORDINARY);
  t.deepEqual(large, []);
});

test('sizes › with 30 segments or milestones every unlocking script is below 2,500 bytes', (t) => {
  const all = weights();
  t.true(all.some(({ count }) => count === 30));
  t.deepEqual(
    all.filter(({ unlocking }) => unlocking >= 2_500),
    [],
  );
});

test('costs › no input takes more than a quarter of its operation budget', (t) => {
  const all = weights();
  t.true(all.every(({ cost }) => cost > 1));
  t.deepEqual(
    all.filter(({ cost }) => cost > 25),
    [],
  );
});
