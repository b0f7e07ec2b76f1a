/** Turns a contract's cases into tests: one for each allowed move, one for each attack. */
import test from 'ava';
import type { ContractCases } from './cases.js';
import { buildTransaction, type Spend } from './spend.js';
import { MACHINES, refusalOf, tryTransaction, type Rules } from './verdict.js';

const RULES = Object.keys(MACHINES) as Rules[];

/** What every machine says of a spend, which is signed once. */
const verdictsOn = (spend: Spend) => {
  const built = buildTransaction(spend);
  return RULES.map((rules) => ({ rules, ...tryTransaction(spend, rules, built) }));
};

export const declareTests = ({ contract, moves, attacks }: ContractCases): void => {
  for (const { name, asset, build } of moves) {
    test(`${contract} › ${name} › given ${asset} › both VMs accept it`, (t) => {
      for (const verdict of verdictsOn(build())) {
        t.is(
          verdict.accepted ? 'accepted' : verdict.inputs.join() + String(verdict.transaction),
          'accepted',
          verdict.rules,
        );
      }
    });
  }
  for (const { attack, name, build, refusedBy, input } of attacks) {
    test(`${contract} › attack ${attack} › ${name} › "${refusedBy}" refuses`, (t) => {
      for (const verdict of verdictsOn(build())) t.is(refusalOf(verdict, input), refusedBy, verdict.rules);
    });
  }
};
