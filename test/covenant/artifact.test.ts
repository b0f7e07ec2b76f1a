import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findStale } from '../../scripts/compile-contracts.js';
import {
  ARTIFACT_NAMES,
  fingerprintOf,
  isFirstVersion,
  loadArtifact,
  newestFingerprint,
  pinnedFingerprint,
} from '../../src/covenant/artifact.js';
import { bindContract } from '../../src/covenant/covenant-contract.js';
import { TreasuryError } from '../../src/errors.js';

const OWN = new URL('../../contracts/artifacts/', import.meta.url);

/** A copy of the artifacts that a test may spoil. */
const copyArtifacts = (t: ExecutionContext): string => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'artifacts-'));
  t.teardown(() => {
    fs.rmSync(copy, { recursive: true });
  });
  fs.cpSync(OWN, copy, { recursive: true });
  return copy;
};

const PUBLISHED = JSON.parse(fs.readFileSync(new URL('published.json', OWN), 'utf8')) as Record<
  string,
  Record<string, string>
>;

test('artifacts › given no version › it is the newest', (t) => {
  for (const name of ARTIFACT_NAMES) t.is(fingerprintOf(loadArtifact(name)), newestFingerprint(name));
});

test('artifacts › given a record that pins nothing › it is that of the first version', (t) => {
  for (const name of ARTIFACT_NAMES.filter((known) => known in (PUBLISHED['0.1.0'] ?? {}))) {
    t.is(fingerprintOf(loadArtifact(name, null)), PUBLISHED['0.1.0']?.[name] ?? '');
    t.true(isFirstVersion(name, null));
    t.true(isFirstVersion(name, pinnedFingerprint(name, null)));
  }
});

test('artifacts › given the fingerprint of any published version › it is that one', (t) => {
  for (const fingerprints of Object.values(PUBLISHED)) {
    for (const name of ARTIFACT_NAMES.filter((known) => known in fingerprints))
      t.is(fingerprintOf(loadArtifact(name, fingerprints[name] ?? '')), fingerprints[name] ?? '');
  }
});

test('artifacts › given a fingerprint that is none of ours › unknown_contract_version says which', (t) => {
  const foreign = 'ab'.repeat(32);
  const error = t.throws(() => loadArtifact('vault', foreign), { instanceOf: TreasuryError });
  t.is(error.code, 'unknown_contract_version');
  t.regex(error.message, new RegExp(`${foreign}.*Vault`));
  t.throws(() => loadArtifact('vault', '../../package'), { instanceOf: TreasuryError });
});

test('artifacts › given two versions of a contract › equal parameters lie at two addresses', (t) => {
  const parameters = [new Uint8Array(32), ...[2, 3, 2].map((first) => new Uint8Array(33).fill(first))];
  const addressOf = (pinned: string | null) => {
    const { address, fingerprint } = bindContract({ name: 'vault', pinned }, parameters, 'local');
    t.is(fingerprint, pinnedFingerprint('vault', pinned));
    return address.text;
  };
  t.not(addressOf(null), addressOf(newestFingerprint('vault')));
});

test('contracts:check › given a published artifact that was changed, removed or added › it says so', (t) => {
  t.deepEqual(findStale(), []);
  const vault = (directory: string) =>
    path.join(directory, 'published', 'vault', `${PUBLISHED['0.1.0']?.['vault'] ?? ''}.json`);

  const changed = copyArtifacts(t);
  fs.copyFileSync(path.join(changed, 'vault.json'), vault(changed));
  t.regex(findStale(changed).join(), /published\/vault\/.*was changed/);

  const renamed = copyArtifacts(t);
  const text = fs.readFileSync(vault(renamed), 'utf8');
  fs.writeFileSync(vault(renamed), text.replace('"name": "join"', '"name": "joins"'));
  t.regex(findStale(renamed).join(), /published\/vault\/.*was changed/);

  const removed = copyArtifacts(t);
  fs.rmSync(vault(removed));
  t.regex(findStale(removed).join(), /published\/vault\/.*is missing/);

  const added = copyArtifacts(t);
  fs.copyFileSync(vault(added), path.join(added, 'published', 'vault', 'another.json'));
  t.regex(findStale(added).join(), /another\.json is in no version/);
});

test('artifacts › every version of a covenant with a pool finds the same reserve', (t) => {
  const reserve = loadArtifact('token-reserve').debug?.bytecode ?? '';
  t.is(newestFingerprint('token-reserve'), pinnedFingerprint('token-reserve', null));
  for (const name of ['budget-plan', 'recurring-payment', 'reward-campaign', 'stream'] as const) {
    for (const pinned of [null, newestFingerprint(name)])
      t.true(loadArtifact(name, pinned).debug?.bytecode.includes(reserve), name);
  }
});
