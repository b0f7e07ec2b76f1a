/** Whose authority a deployment has: a sender with a second key of their own is their own witness of time. */
import { binToHex } from '@bitauth/libauth';
import test, { type ExecutionContext } from 'ava';
import { authority, mallory } from '../../../fixtures/people.js';
import { EXIT, TreasuryError } from '../../../src/errors.js';
import { exitOf } from '../../../src/cli/show-reply.js';
import type { DeploymentsFile } from '../../../src/products/deployments/index.js';
import { serve } from '../../acceptance/client.js';
import { ask, openElsewhere } from '../../acceptance/story.js';
import { openTreasury } from '../../treasury.js';
import { fundStream } from '../streams/stream.js';

type Finding = { readonly check: string; readonly ok: boolean; readonly detail: string };

const PUBLISHED = binToHex(authority.publicKey);
const OTHER = binToHex(mallory.publicKey);

/** A funded stream, the file of its service, and the home of somebody who has neither its store nor its keys. */
const openHomes = async (t: ExecutionContext, terms: Record<string, unknown> = {}) => {
  const service = await openTreasury(t);
  const stream = await fundStream(service, terms);
  const shown = await stream.shown();
  const file = JSON.parse(JSON.stringify(await ask(service.app, 'deployments.export'))) as DeploymentsFile;
  const home = await openElsewhere(t, service.app, { hasKeys: false });
  const verify = async (expected: Record<string, unknown> = {}) => {
    const input = { address: shown['contract_address'], file, ...expected };
    const reply = await ask(home, 'deployments.verify', input);
    const failed = (reply['audit'] as Finding[]).filter(({ ok }) => !ok);
    return { reply, failed: failed.map(({ check }) => check), said: failed[0]?.detail ?? '' };
  };
  return { service, home, file, address: String(shown['contract_address']), verify };
};

test('verify › given a file with an authority that nobody here knows › it fails, and says how to compare', async (t) => {
  const { verify } = await openHomes(t);
  const { reply, failed, said } = await verify();
  t.false(reply['success']);
  t.is(exitOf(reply), EXIT.rule);
  t.deepEqual(failed, ['known authority']);
  t.regex(said, new RegExp(`--authority ${PUBLISHED}`));
});

test('verify › given the authority that the service publishes, as a key or an address › every check holds', async (t) => {
  const { service, verify } = await openHomes(t);
  const { call } = await serve(t, service);
  const { body } = await call('GET', '/api');
  t.deepEqual(body['authorities'], [PUBLISHED]);
  for (const expected of [PUBLISHED, PUBLISHED.toUpperCase(), service.addressOf(authority).text])
    t.deepEqual((await verify({ authority: expected })).failed, [], expected);
});

test('verify › given another authority than the expected one › it fails', async (t) => {
  const { service, verify, address } = await openHomes(t);
  t.deepEqual((await verify({ authority: OTHER })).failed, ['known authority']);
  // The route compares as well: with the keys of the service, or with what the caller expects.
  const { call } = await serve(t, service);
  const path = `/api/deployment/verify/${address}`;
  t.true((await call('GET', path)).body['success']);
  t.true((await call('GET', `${path}?authority=${PUBLISHED}`)).body['success']);
  t.false((await call('GET', `${path}?authority=${OTHER}`)).body['success']);
});

test('verify › given a stream that is irrevocable › an unknown authority can do nothing, and every check holds', async (t) => {
  const { verify } = await openHomes(t, { cancelable: false });
  t.deepEqual((await verify()).failed, []);
});

test('verify › given an authority that is no key and no address of one › it is invalid_input', async (t) => {
  const { verify, address } = await openHomes(t);
  for (const expected of ['the usual one', PUBLISHED.slice(2), address]) {
    const error = await t.throwsAsync(verify({ authority: expected }), { instanceOf: TreasuryError });
    t.is(error.code, 'invalid_input', expected);
  }
});

test('import › given a file with an authority that nobody here knows › it is refused, until it is named', async (t) => {
  const { home, file } = await openHomes(t);
  const error = await t.throwsAsync(ask(home, 'deployments.import', { file }), { instanceOf: TreasuryError });
  t.is(error.code, 'invalid_file');
  t.regex(error.message, new RegExp(`known authority.*--authority ${PUBLISHED}`));
  const other = { file, authority: [OTHER] };
  await t.throwsAsync(ask(home, 'deployments.import', other), { instanceOf: TreasuryError });
  const taken = await ask(home, 'deployments.import', { file, authority: [OTHER, PUBLISHED] });
  t.like(taken, { success: true, imported: { streams: 1 } });
});
