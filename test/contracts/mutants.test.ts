import fs from 'node:fs';
import test from 'ava';
import { EQUIVALENTS } from '../../scripts/mutants/equivalents.js';
import { mutantsOf } from '../../scripts/mutants/generate.js';
import { isolateFunction } from '../../scripts/mutants/isolate.js';
import { compileMutant, KINDS, nameOf } from '../../scripts/mutants/mutant.js';
import { sampleOf } from '../../scripts/mutants/sample.js';
import { listUnits, runUnit } from '../../scripts/mutants/unit.js';
import { createJudge, type Verdict } from '../../scripts/mutants/judge.js';
import { EVERY_CONTRACT } from './harness/every-contract.js';

const SOURCE = `pragma cashscript ^0.12.1;

contract Toy(bytes20 firstHash, bytes20 secondHash, int least) {
    function spend(pubkey key, sig signature, int amount) {
        require(hash160(key) == firstHash || hash160(key) == secondHash, 'one of both');
        require(checkSig(signature, key), 'it is signed');
        if (amount > least) {
            require(tx.outputs[0].value == amount - 1, 'the amount is paid');
        } else {
            require(tx.outputs.length <= 2, 'two outputs');
        }
    }

    function end(pubkey key) {
        require(hash160(key) == firstHash, 'the first');
        require(tx.time >= least, 'it is time');
    }
}
`;

/** Of the toy, whatever contract it stands for. */
const toys = mutantsOf('vault', SOURCE);
const changesOf = (kind: string): string[] =>
  toys.filter((mutant) => mutant.kind === kind).map(({ was, becomes }) => `${was} → ${becomes}`);

test('mutants › of a contract › every kind that it has room for is made, each under a name of its own', (t) => {
  t.deepEqual(new Set(toys.map(nameOf)).size, toys.length);
  t.deepEqual(
    Object.keys(KINDS).filter((kind) => changesOf(kind).length === 0),
    [],
  );
});

test('mutants › of a comparison › every other comparison, and its bound one more and one less', (t) => {
  for (const other of ['<', '<=', '>=', '==', '!='])
    t.true(changesOf('comparison').includes(`amount > least → amount ${other} least`), other);
  t.true(changesOf('off-by-one').includes('amount > least → amount > (least + 1)'));
  t.true(changesOf('off-by-one').includes('amount > least → amount > (least - 1)'));
  t.true(changesOf('constant').includes('tx.outputs.length <= 2 → tx.outputs.length <= 3'));
  t.true(changesOf('constant').includes('tx.outputs.length <= 2 → tx.outputs.length <= 0'));
});

test('mutants › of names, parameters, branches and operators › each other of its kind', (t) => {
  t.true(changesOf('identifier').includes('hash160(key) == firstHash → hash160(key) == secondHash'));
  t.true(
    changesOf('identifier').includes(
      'bytes20 firstHash, bytes20 secondHash → bytes20 secondHash, bytes20 firstHash',
    ),
  );
  t.true(changesOf('arithmetic').includes('amount - 1 → amount + 1'));
  t.true(changesOf('branch').includes('amount > least → !(amount > least)'));
  t.true(changesOf('logic').some((change) => change.endsWith('→ hash160(key) == secondHash')));
  t.true(
    changesOf('introspection').includes(
      'tx.outputs[0].value == amount - 1 → tx.inputs[0].value == amount - 1',
    ),
  );
});

test('mutants › all but a few compile, and a contract without a statement does', (t) => {
  const compiled = toys.filter((mutant) => compileMutant(SOURCE, mutant) !== null);
  t.true(compiled.length > toys.length * 0.9);
  t.true(toys.filter(({ kind }) => kind === 'statement').every((mutant) => compiled.includes(mutant)));
});

test('mutants › a function that is left alone › has the mutants that it has in the whole contract', (t) => {
  for (const name of ['spend', 'end']) {
    const alone = mutantsOf('vault', isolateFunction(SOURCE, name)).filter(
      ({ functionName }) => functionName === name,
    );
    t.deepEqual(alone.map(nameOf), toys.filter(({ functionName }) => functionName === name).map(nameOf));
  }
});

test('mutants › a sample › has so many, the same for the same seed, others for another', (t) => {
  const units = listUnits((contract) => contract === 'stream');
  const draw = (seed: number): string[] => sampleOf(units, 20, seed).flatMap(({ names }) => names);
  t.is(draw(1).length, 20);
  t.deepEqual(draw(1), draw(1));
  t.notDeepEqual(draw(1), draw(2));
});

test('mutants › of today’s contracts › there are well over a thousand', (t) => {
  const count = listUnits(() => true).reduce((sum, { names }) => sum + names.length, 0);
  t.log(count);
  t.true(count > 5_000);
});

test('proofs › every one agrees with its contract on the whole of its space', (t) => {
  for (const { change, search, proof } of EQUIVALENTS) {
    const { agrees, inputs } = search();
    t.true(agrees && inputs > 0 && proof.length > 0, change);
  }
});

test('cases › without the attacks › the check of a signature can be left out, and that is told', (t) => {
  const vault = EVERY_CONTRACT.find(({ contract }) => contract === 'vault');
  if (vault === undefined) throw new Error('no vault');
  const source = fs.readFileSync(new URL(`../../contracts/${vault.source}`, import.meta.url), 'utf8');
  const mutant = mutantsOf('vault', source).find(
    ({ kind, statement }) => kind === 'statement' && statement === 'the first signer signs',
  );
  if (mutant === undefined) throw new Error('no such mutant');
  t.is(createJudge({ ...vault, attacks: [] }, 'spend', source).judge(mutant).fate, 'survives');
  t.is(createJudge(vault, 'spend', source).judge(mutant).fate, 'killed');
});

test('cases › a slice of the mutants › none survives without a proof', (t) => {
  const verdicts: Verdict[] = [];
  const small = ['vault', 'vote-lock', 'token-reserve', 'reward-campaign'];
  const units = listUnits((contract) => small.includes(contract));
  for (const unit of sampleOf(units, 16, 20_261_121).filter(({ names }) => names.length > 0))
    runUnit(unit, (verdict) => verdicts.push(verdict));
  t.is(verdicts.length, 16);
  t.deepEqual(
    verdicts.filter(({ fate }) => fate === 'survives').map(({ name }) => name),
    [],
  );
  t.true(verdicts.some(({ fate }) => fate === 'killed'));
});
