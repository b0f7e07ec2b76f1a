/** What follows from how an operation is declared, for every route that there is. */
import test from 'ava';
import { loadRouted } from './routed.js';
import { fieldNames } from '../../src/operation/read-input.js';
import {
  handsOut,
  isCovered,
  isRead,
  lacksFor,
  permissionOf,
  RECORD_FIELDS,
} from '../../src/operation/script-keys/scope.js';
import { readCidr, isWithin } from '../../src/operation/script-keys/networks.js';
import { isKeyText, newKeyText, withoutKeys } from '../../src/operation/script-keys/script-key.js';

const routed = await loadRouted();

/** Input fields that end like the name of a record, and name none that a key is restricted to. */
const NO_RECORDS = ['txid', 'voteId'];

test('scope › given every field of every route that looks like a record › it is known as one', (t) => {
  const unknown = routed.flatMap((operation) =>
    fieldNames(operation)
      .filter(
        (name) => /(?:^id|Id|Ids)$/.test(name) && !RECORD_FIELDS.includes(name) && !NO_RECORDS.includes(name),
      )
      .map((name) => `${operation.id} ${name}`),
  );
  t.deepEqual(unknown, [], 'say in src/operation/script-keys/scope.ts what they name');
  const inPaths = routed.flatMap(({ id, http }) =>
    [...(http?.path ?? '').matchAll(/:(\w+)/g)].map(([, name = '']) => `${id} ${name}`),
  );
  t.deepEqual(
    inPaths.filter((place) => !RECORD_FIELDS.includes(place.split(' ')[1] ?? '')),
    ['deployments.verify-address address'],
  );
});

test('scope › given what hands out a transaction › it is no reading, by whatever method it is asked', (t) => {
  const gets = routed.filter((operation) => operation.http?.method === 'GET' && handsOut(operation));
  t.deepEqual(gets.map(({ id }) => id).sort(), [
    'budgets.funding-info',
    'payments.funding-info',
    'rewards.funding-info',
    'streams.claim-info',
    'streams.funding-info',
    'vaults.deposit',
  ]);
  for (const operation of gets) {
    t.false(isRead(operation), operation.id);
    t.false(isCovered(operation, ['*:read']), operation.id);
  }
});

test('scope › given a key with a maximum › what neither reads, hands out nor declares it is refused', (t) => {
  const maximums = [{ category: null, symbol: 'BCH', decimals: 8, amount: 1n, seconds: 1 }];
  const refused = routed.filter((operation) => {
    const allow = [permissionOf(operation)];
    return (
      lacksFor(operation, { allow, maximums }) !== null &&
      lacksFor(operation, { allow, maximums: [] }) === null
    );
  });
  t.deepEqual(
    refused.map(({ id }) => id),
    ['vaults.spend-submit', 'vaults.spend-broadcast', 'streams.transfer'],
  );
});

test('scope › given patterns › each covers what it says and nothing beside it', (t) => {
  const covered = (...allow: string[]) =>
    routed.filter((operation) => isCovered(operation, allow)).map(({ id }) => id);
  t.deepEqual(covered('streams:claim'), ['streams.claim']);
  t.true(covered('streams:*').every((id) => id.startsWith('streams.')));
  t.true(covered('streams:read').every((id) => id.startsWith('streams.')));
  t.true(covered('streams:read').includes('streams.show'));
  t.deepEqual(covered('*:*', '*', 'streams', 'streams:', ':', '', 'stream:*', 'STREAMS:*'), []);
});

test('networks › given addresses of either family › they lie in what names them', (t) => {
  const networks = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7/32'];
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::1', '192.0.2.7'])
    t.true(isWithin(inside, networks), inside);
  for (const outside of [
    '11.0.0.1',
    '::ffff:11.0.0.1',
    '2001:db9::1',
    '192.0.2.8',
    '',
    'localhost',
    undefined,
  ])
    t.false(isWithin(outside, networks), String(outside));
  t.false(isWithin('10.1.2.3', []));
  t.deepEqual(readCidr('10.0.0.1'), { address: '10.0.0.1', bits: 32, family: 'ipv4' });
  for (const text of ['10.0.0.0/33', '::/129', '10.0.0/8', 'x', '10.0.0.0/', '10.0.0.0/-1', '1.2.3.4/8/8'])
    t.is(readCidr(text), null, text);
});

test('the text of a key › of whatever bytes › has 22 letters and digits, each as likely as another', (t) => {
  let next = 0;
  const text = newKeyText((length) => Uint8Array.from({ length }, () => next++ % 256));
  t.true(isKeyText(text));
  const counts = new Map<string, number>();
  for (let made = 0; made < 248; made += 1)
    for (const letter of newKeyText((length) => Uint8Array.from({ length }, () => next++ % 256)).slice(3))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
  t.is(counts.size, 62);
  // 256 bytes are 4 of each letter and 8 that are left out: no letter is much likelier.
  t.true(Math.max(...counts.values()) - Math.min(...counts.values()) < 20, JSON.stringify([...counts]));
  t.is(withoutKeys(`/api/x/${text}/y`), '/api/x/tk_…/y');
});
