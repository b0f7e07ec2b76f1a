/** I5: no value leaves a covenant and its reserve but to those to whom it was promised, whatever lies beside it. */
import fs from 'node:fs';
import test from 'ava';
import { compileString } from 'cashc';
import fc from 'fast-check';
import { atLength } from '../../at-length.js';
import { replaceArtifact } from '../harness/bound.js';
import { buildTransaction, type Output, type Spend } from '../harness/spend.js';
import { isFinal, verify } from './chain.js';
import { spendOf } from './covenant.js';
import { acceptedIn, everyTrace, PRODUCT_NAMES, type AnyTrace, type AnyTried } from './every-trace.js';
import { anyTricks, leakOf, thief, trickedOf } from './skim.js';
import { PRODUCTS } from './trace.js';

const RUNS = atLength(10, 4);
const TRICKS = 6;

const isAccepted = (spend: Spend, medianTime: number): boolean =>
  isFinal(spend, medianTime) && verify(buildTransaction(spend), '2026') === 'accepted';

const isLoot = ({ lockingBytecode }: Output): boolean => Buffer.compare(lockingBytecode, thief.lock) === 0;

type Counts = { accepted: number; looted: number; refused: number };

/** Tries some tricks on a move; throws when one that is accepted takes what is not its signers' to take. */
const trySkims = (
  trace: AnyTrace,
  tried: AnyTried,
  [seed, numRuns]: readonly [number, number],
  counts: Counts,
): void => {
  for (const tricks of fc.sample(anyTricks, { numRuns, seed })) {
    const spend = trickedOf(trace, tried, tricks);
    if (!isAccepted(spend, tried.chain.medianTime)) {
      counts.refused += 1;
      continue;
    }
    counts.accepted += 1;
    counts.looted += spend.outputs.some(isLoot) ? 1 : 0;
    const { pool, satoshis, short } = leakOf(trace, tried, spend);
    if (pool > 0n || satoshis > 0n || short > 0n)
      throw new Error(`${tried.attempt.call} lets ${pool} go and ${satoshis} satoshis, ${short} is missing`);
  }
};

for (const product of PRODUCT_NAMES) {
  test(`I5 › ${product} › given gifts, decoys and outputs changed at will › nothing leaves but what was promised`, (t) => {
    const counts: Counts = { accepted: 0, looted: 0, refused: 0 };
    let seed = 0;
    everyTrace(
      product,
      (trace) => {
        for (const tried of acceptedIn(trace)) {
          const honest = leakOf(trace, tried, tried.spend);
          if (honest.pool !== -tried.attempt.adds || honest.satoshis > 0n || honest.short !== 0n)
            throw new Error(`${tried.attempt.call} itself lets ${honest.pool} go`);
          seed += 1;
          trySkims(trace, tried, [seed, TRICKS], counts);
        }
      },
      RUNS,
    );
    t.true(
      counts.accepted > 10 && counts.looted > 5 && counts.refused > atLength(50, 5),
      JSON.stringify(counts),
    );
  });

  test(`I5 › ${product} › given two covenants of one sender › no transaction moves both`, (t) => {
    let tried = 0;
    everyTrace(
      product,
      (trace) => {
        const { sibling, start } = trace;
        for (const { spend, chain, before } of acceptedIn(trace)) {
          const now = chain.medianTime - 1;
          const thread = { ...start.position.thread, txid: trace.funding.txid, vout: 1 };
          for (const call of new Set(sibling.calls)) {
            const attempt = sibling.attempt(sibling.first, { call, asked: 'all', share: 0 }, spend.locktime);
            if (!attempt.isAllowed) continue;
            const position = { category: before.category, thread, state: sibling.first };
            const apart = { ...chain, newOutpoint: (name: string) => chain.newOutpoint(`other ${name}`) };
            const other = spendOf(apart, sibling, position, attempt, spend.locktime);
            if (!isAccepted(other, now + 1)) throw new Error(`the sibling cannot ${call}`);
            for (const [first, second] of [
              [spend, other],
              [other, spend],
            ] as const) {
              const inputs = [...first.inputs, ...second.inputs];
              const outputs = [...first.outputs, ...second.outputs];
              if (isAccepted({ ...first, inputs, outputs }, now + 1)) throw new Error(`both ${call}`);
              tried += 1;
            }
          }
        }
      },
      3,
    );
    t.true(tried > 10);
  });
}

test.serial('I5 › skims › given a stream that does not count its reserve › they are found', (t) => {
  const check = "require(tx.outputs[1].tokenAmount == total - released, 'the reserve holds what remains');";
  const source = fs.readFileSync(new URL('../../../contracts/streams/stream.cash', import.meta.url), 'utf8');
  t.true(source.includes(check));
  replaceArtifact('stream', compileString(source.replace(check, check.replace('==', '!= -1 - '))));
  t.teardown(() => {
    replaceArtifact('stream', null);
  });
  const counts: Counts = { accepted: 0, looted: 0, refused: 0 };
  const skim = (): void => {
    fc.sample(PRODUCTS.stream.anyStory, { numRuns: RUNS, seed: 7 }).forEach((story) => {
      const run = PRODUCTS.stream.run(story) as unknown as AnyTrace;
      const trace: AnyTrace = { ...run, product: 'stream', terms: story.terms };
      acceptedIn(trace).forEach((tried, index) => {
        trySkims(trace, tried, [index, 5 * TRICKS], counts);
      });
    });
  };
  t.throws(skim, { message: /^claim lets [1-9]/ });
});
