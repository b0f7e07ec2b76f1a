import test from 'ava';
import type { ArtifactName } from '../../src/covenant/artifact.js';
import { EVERY_CONTRACT } from './harness/every-contract.js';

/**
 * The address of each contract with the parameters of its first move. Money lies at such addresses: a change here
 * means that what was deployed can no longer be found, so a golden value is never edited.
 */
const GOLDEN: Readonly<Record<ArtifactName, string>> = {
  'reward-campaign': 'bchtest:pva6l2r6p03pmgycfn2jf5u05e00hdy3ff7ydrcp5rtzcmjdkvfpgff86ecje',
  'budget-plan': 'bchtest:pd8wpjmthdek2zdlyqnaf5glvwcrngjgqg427auy6jtmudfatzg5y44pr3cqj',
  stream: 'bchtest:p0mxfeqj72ceccrdqpnd6svh6rx4hvl5elhvsrx4yukyjnxlmu0j6p6anqprj',
  'recurring-payment': 'bchtest:pvm3t9x3vmexw7z58zkj8haqu7wg8nhytgzv5802yh3wc335ne5yymrjrq7kd',
  'token-reserve': 'bchtest:p0356jlr82dw9faxlaaq7vfhpq9csegk2dcqft9c4w7mxas47ypfc7t8leul5',
  'vote-lock': 'bchtest:pwwaush9q8cz0xwd4d25wnmrdquaukvyv34zy0lw3kel6j0ggz02sschd9334',
  vault: 'bchtest:pdesn3ptdfpv3fmr0584gsnmr2m3rt2v27d6ecykmstwl40jem97ktur4kdpx',
};

for (const { contract, moves } of EVERY_CONTRACT) {
  test(`addresses › ${contract} › given fixed parameters › its address never changes`, (t) => {
    const found = moves[0]
      ?.build()
      .inputs.flatMap(({ unlock }) =>
        'call' in unlock && unlock.contract.name === contract ? [unlock.contract] : [],
      );
    t.is(found?.[0]?.address, GOLDEN[contract]);
  });

  // A reserve has no id: its parameters are the covenant itself.
  if (contract === 'token-reserve') continue;
  test(`addresses › ${contract} › given equal terms and another id › it has another address (rule 9)`, (t) => {
    const lockOf = (sibling: boolean) => moves[0]?.build({ sibling }).inputs[0]?.coin.lockingBytecode;
    t.notDeepEqual(lockOf(true), lockOf(false));
  });
}
