import fs from 'node:fs';
import test from 'ava';
import {
  ARTIFACT_NAMES,
  loadArtifact,
  type ArtifactName,
  type PublishedVersions,
} from '../../src/covenant/artifact.js';
import { replaceArtifact } from './harness/bound.js';
import { EVERY_CONTRACT } from './harness/every-contract.js';

/**
 * The address of each contract with the parameters of its first move. Money lies at such addresses: a change here
 * means that what was deployed can no longer be found, so a golden value is never edited.
 */
const FIRST: Readonly<Partial<Record<ArtifactName, string>>> = {
  'reward-campaign': 'bchtest:pva6l2r6p03pmgycfn2jf5u05e00hdy3ff7ydrcp5rtzcmjdkvfpgff86ecje',
  'budget-plan': 'bchtest:pd8wpjmthdek2zdlyqnaf5glvwcrngjgqg427auy6jtmudfatzg5y44pr3cqj',
  stream: 'bchtest:p0mxfeqj72ceccrdqpnd6svh6rx4hvl5elhvsrx4yukyjnxlmu0j6p6anqprj',
  'recurring-payment': 'bchtest:pvm3t9x3vmexw7z58zkj8haqu7wg8nhytgzv5802yh3wc335ne5yymrjrq7kd',
  'token-reserve': 'bchtest:p0356jlr82dw9faxlaaq7vfhpq9csegk2dcqft9c4w7mxas47ypfc7t8leul5',
  'vote-lock': 'bchtest:pwwaush9q8cz0xwd4d25wnmrdquaukvyv34zy0lw3kel6j0ggz02sschd9334',
  vault: 'bchtest:pdesn3ptdfpv3fmr0584gsnmr2m3rt2v27d6ecykmstwl40jem97ktur4kdpx',
};

/** The same for what version 0.2.0 published. */
const SECOND: Readonly<Partial<Record<ArtifactName, string>>> = {
  ...FIRST,
  'reward-campaign': 'bchtest:pwqjpv3tts3vtcuu72udf0a3656xxjpfpwgx3pkqpstfjjy2uv7tzrnsencd5',
  'budget-plan': 'bchtest:p04m7wqg8cqyuyqrxxr2shj77zmkyq6s9flsx7vth7xazamppdczk9h6ynvdq',
  stream: 'bchtest:pwvwjxfcgdjuncj9x68ecavg6552ltycp655n3he0zgzzuyrfvx22nv2a9f23',
  'recurring-payment': 'bchtest:p0uperj32ph4c5pj9zlcdv7z6k7pzvttszzzgvyflxkj2tp89ngfsz8krfkka',
  'token-reserve': 'bchtest:pw6gwyaytqas5unty7u8nntyqnyqktqztf875t7levg6jy9etg8c7cjscau2n',
  vault: 'bchtest:pwywk2jyucv78pdg7msd6pgc2465sej4pscput60fjzlnqqma5k229hvhhtsk',
};

/** The same for the newest version: those that are not published yet may still change with their sources. */
const NEWEST: Readonly<Partial<Record<ArtifactName, string>>> = {
  ...SECOND,
  'budget-plan': 'bchtest:pwy6rgvvfvc6x5yd60zhdnjeztzjhvfzfnc4c3wghc24t6wj34luk095ac8e6',
  stream: 'bchtest:p0ulz74mgapnaluux8tqwehra7v8ja3qvt59gx2cyqp9kdwy0yxvj0drmajcs',
  'recurring-payment': 'bchtest:p03zwtv3xaa8v5acyfegqzrtnde3hduj6vlqsccem0nrxcgre5kevdsdwn7py',
};

/** Those that the first version had. */
const FIRST_NAMES = ARTIFACT_NAMES.filter((name) => name in FIRST);

const published = new URL('../../contracts/artifacts/published.json', import.meta.url);
const versions = JSON.parse(fs.readFileSync(published, 'utf8')) as PublishedVersions;

test('addresses › every contract of the first version has its first address here', (t) => {
  t.deepEqual([...FIRST_NAMES].sort(), Object.keys(versions['0.1.0'] ?? {}).sort());
});

const addressIn = (contract: ArtifactName, moves: (typeof EVERY_CONTRACT)[number]['moves']) =>
  moves[0]
    ?.build()
    .inputs.flatMap(({ unlock }) =>
      'call' in unlock && unlock.contract.name === contract ? [unlock.contract] : [],
    )[0]?.address;

for (const { contract, moves } of EVERY_CONTRACT) {
  test.serial(
    `addresses › ${contract} › given fixed parameters › the address of each version never changes`,
    (t) => {
      t.is(addressIn(contract, moves), NEWEST[contract]);
      if (FIRST[contract] === undefined) return;
      // A reserve's parameters are a covenant: the first version's lies at that covenant's first address.
      t.teardown(() => {
        for (const name of FIRST_NAMES) replaceArtifact(name, null);
      });
      for (const [version, golden] of [
        ['0.1.0', FIRST],
        ['0.2.0', SECOND],
      ] as const) {
        for (const name of FIRST_NAMES)
          replaceArtifact(name, loadArtifact(name, versions[version]?.[name] ?? ''));
        t.is(addressIn(contract, moves), golden[contract], version);
      }
    },
  );

  // A reserve has no id: its parameters are the covenant itself.
  if (contract === 'token-reserve') continue;
  test(`addresses › ${contract} › given equal terms and another id › it has another address (rule 9)`, (t) => {
    const lockOf = (sibling: boolean) => moves[0]?.build({ sibling }).inputs[0]?.coin.lockingBytecode;
    t.notDeepEqual(lockOf(true), lockOf(false));
  });
}
