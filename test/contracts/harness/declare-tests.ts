/** Turns a contract's cases into tests: one for each allowed move, one for each attack. */
import test from 'ava';
import type { ContractCases } from './cases.js';
import { MACHINES, refusalOf, tryTransaction, type Rules } from './verdict.js';

const RULES = Object.keys(MACHINES) as Rules[];

export const declareTests = ({ contract, moves, attacks }: ContractCases): void => {
  for (const { name, asset, build } of moves) {
    test(`${contract} › ${name} › given ${asset} › both VMs accept it`, (t) => {
      for (const rules of RULES) {
        const verdict = tryTransaction(build(), rules);
        t.is(
          verdict.accepted ? 'accepted' : verdict.inputs.join() + String(verdict.transaction),
          'accepted',
          rules,
        );
      }
    });
  }
  for (const { attack, name, build, refusedBy, input } of attacks) {
    test(`${contract} › attack ${attack} › ${name} › "${refusedBy}" refuses`, (t) => {
      for (const rules of RULES) t.is(refusalOf(tryTransaction(build(), rules), input), refusedBy, rules);
    });
  }
};
