import fs from 'node:fs';
import test from 'ava';
import { hexToBin } from '@bitauth/libauth';
import { findSources, findStale } from '../../scripts/compile-contracts.js';
import { ARTIFACT_NAMES, loadArtifact } from '../../src/covenant/artifact.js';
import { milestoneLayout } from './budget-plan.cases.js';
import type { StateLayout } from './harness/cases.js';
import { reserveLockOf, reserveOf } from './harness/coins.js';
import { EVERY_CONTRACT } from './harness/every-contract.js';
import { segmentLayout } from './stream.cases.js';
import { ballotLayout } from './vote-lock.cases.js';

const read = (source: string): string =>
  fs.readFileSync(new URL(`../../contracts/${source}`, import.meta.url), 'utf8');

test('artifacts › every source compiles to its committed artifact', (t) => {
  t.deepEqual(findStale(), []);
  t.deepEqual([...findSources().keys()].sort(), ARTIFACT_NAMES.map((name) => `${name}.json`).sort());
});

test('artifacts › every contract has cases', (t) => {
  t.deepEqual(EVERY_CONTRACT.map(({ contract }) => contract).sort(), [...ARTIFACT_NAMES].sort());
});

test('artifacts › every require has a message', (t) => {
  for (const { contract, source } of EVERY_CONTRACT) {
    const requires = loadArtifact(contract).debug?.requires ?? [];
    t.true(requires.length > 0 && requires.every(({ message }) => message !== undefined), contract);
    t.is(requires.length, [...read(source).matchAll(/\brequire\(/g)].length, contract);
  }
});

/** The rows `[begin, end)  name  type` of a head comment, at an indentation. */
const declaredRows = (source: string): string[] =>
  [...source.matchAll(/^ \* +\[(\d+), (\d+)\) +(\w+) +(u\d+|\d+)/gm)].map(
    ([, begin, end, name, type]) => `${name ?? ''} ${begin ?? ''}-${end ?? ''} ${type ?? ''}`,
  );

const rowsOf = ({ offsets }: StateLayout): string[] =>
  Object.entries(offsets).map(([name, { offset, size }]) => {
    const type = size === 20 ? '20' : `u${size * 8}`;
    return `${name} ${offset}-${offset + size} ${type}`;
  });

const PACKED: Readonly<Record<string, StateLayout>> = {
  'budget-plan': milestoneLayout,
  stream: segmentLayout,
  'vote-lock': ballotLayout,
};

for (const { contract, source, layout } of EVERY_CONTRACT) {
  const packed = PACKED[contract];
  if (layout === null && packed === undefined) continue;

  test(`layout › ${contract} › the bytes in the head comment are the declared ones (rule 12)`, (t) => {
    const expected = [
      ...(packed === undefined ? [] : rowsOf(packed)),
      ...(layout === null ? [] : rowsOf(layout)),
    ];
    t.deepEqual(declaredRows(read(source)), expected);
  });
}

const edgesOf = ({ size, offsets }: StateLayout): number[] => [
  ...Object.values(offsets).map(({ offset }) => offset),
  size,
];

/** Every place at which the code cuts a value that `names` matches. */
const cutsOf = (source: string, names: string): number[] =>
  [
    ...source.matchAll(new RegExp(`\\b(?:${names})\\.(?:slice\\((\\d+), (\\d+)\\)|split\\((\\d+)\\))`, 'g')),
  ].flatMap(([, begin, end, at]) => (at === undefined ? [Number(begin), Number(end)] : [Number(at)]));

const integersOf = (source: string): string[] =>
  [...source.matchAll(/int\(state\.slice\((\d+), (\d+)\)\)/g)].map(
    ([, begin, end]) => `${begin ?? ''}-${end ?? ''}`,
  );

for (const { contract, source, layout } of EVERY_CONTRACT) {
  if (layout === null) continue;

  test(`layout › ${contract} › the code cuts the state only between fields (rule 12)`, (t) => {
    const cuts = cutsOf(read(source), 'state|nftCommitment');
    t.true(cuts.length > 0);
    t.deepEqual(
      cuts.filter((cut) => !edgesOf(layout).includes(cut)),
      [],
    );
  });

  test(`layout › ${contract} › every integer it reads is one whole field (rule 12)`, (t) => {
    const fields = Object.values(layout.offsets).map(({ offset, size }) => `${offset}-${offset + size}`);
    t.deepEqual(
      integersOf(read(source)).filter((cut) => !fields.includes(cut)),
      [],
    );
  });
}

for (const [contract, layout] of Object.entries({ 'budget-plan': milestoneLayout, stream: segmentLayout })) {
  test(`layout › ${contract} › the code cuts the packed list only between fields (rule 12)`, (t) => {
    const { source } = EVERY_CONTRACT.find((cases) => cases.contract === contract) ?? { source: '' };
    const cuts = cutsOf(read(source), 'begun|later|due|reached');
    t.true(cuts.length > 0);
    t.deepEqual(
      cuts.filter((cut) => !edgesOf(layout).includes(cut)),
      [],
    );
    t.true(read(source).includes(`* ${layout.size})`));
  });
}

test('reserve › the script that covenants assemble is the compiled one', (t) => {
  for (const { moves } of EVERY_CONTRACT) {
    const unlock = moves[0]?.build().inputs[0]?.unlock;
    if (unlock === undefined || 'key' in unlock) continue;
    t.deepEqual(reserveOf(unlock.contract).lock, reserveLockOf(unlock.contract.lock));
  }
  t.is(loadArtifact('token-reserve').debug?.bytecode, '00ce7c517e8800c787');
  t.deepEqual(hexToBin('00ce7c517e8800c787').length, 9);
});

test('time guard › every function that reads the locktime asks that it is in force (rule 4)', (t) => {
  for (const { source } of EVERY_CONTRACT) {
    const text = read(source);
    t.is(text.match(/= tx\.locktime;/g)?.length, text.match(/require\(tx\.time >= now,/g)?.length, source);
  }
});

test('thread › every function that reads the state asks to be input 0 (rule 1)', (t) => {
  for (const { contract, source } of EVERY_CONTRACT) {
    const functions = read(source)
      .split(/\bfunction /)
      .slice(1);
    for (const text of functions) {
      if (!text.includes('tx.inputs[0].nftCommitment') || contract === 'token-reserve') continue;
      t.true(text.includes('require(this.activeInputIndex == 0,'), `${source}: ${text.slice(0, 20)}`);
    }
  }
});
