import test from 'ava';
import { TreasuryError } from '../../src/errors.js';
import { addressFault, isLoopback, nobodysFault, readDestination } from '../../src/operation/destination.js';

/** Addresses that lead inside, or nowhere that anybody would mean. */
const INSIDE = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  'fe80::1',
  'fec0::1',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  '100::1',
  '4000::1',
];

const OUTSIDE = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '2606:4700::1111',
  '2a00::1',
];

test('address › given any that leads inside › it is refused', (t) => {
  for (const address of INSIDE) t.not(addressFault(address), null, address);
});

test('address › given a public one › it is allowed', (t) => {
  for (const address of OUTSIDE) t.is(addressFault(address), null, address);
});

test('address › given private ones that are allowed › many and none are still refused', (t) => {
  for (const address of ['224.0.0.1', 'ff02::1', '255.255.255.255', '0.0.0.0', '::', 'no address'])
    t.not(nobodysFault(address), null, address);
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fd12:3456::1', ...OUTSIDE])
    t.is(nobodysFault(address), null, address);
});

test('address › given one of this machine in any form › it is known', (t) => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    t.true(isLoopback(address), address);
  for (const address of ['8.8.8.8', '10.0.0.1', 'localhost']) t.false(isLoopback(address), address);
});

/** URLs that nobody may give without the operator's leave, and what is said of them. */
const REFUSED: readonly (readonly [url: string, reason: RegExp])[] = [
  ...INSIDE.map(
    (address) => [`https://${address.includes(':') ? `[${address}]` : address}/hooks`, /.+/] as const,
  ),
  ['http://example.org/', /not https/],
  ['http://127.0.0.1/', /on this machine.*--allow-private/],
  ['http://localhost:3000/', /on this machine.*--allow-private/],
  ['https://localhost/', /on this machine/],
  ['https://a.localhost/', /on this machine/],
  ['https://LOCALHOST./', /on this machine/],
  ['https://2130706433/', /another way to write 127\.0\.0\.1/],
  ['https://0x7f000001/', /another way to write/],
  ['https://0177.0.0.1/', /another way to write/],
  ['https://127.1/', /another way to write/],
  ['https://0x8.8.8.8/', /another way to write 8\.8\.8\.8/],
  ['https://①②⑦.0.0.1/', /another way to write/],
  ['https://user:hunter2@example.org/', /name or a password/],
  ['https://user@example.org/', /name or a password/],
  ['https://example.org:22/', /port is 22/],
  ['https://example.org:6379/', /port is 6379/],
  ['https://example.org/#part', /fragment/],
  ['ftp://example.org/', /expected an address/],
  ['file:///etc/passwd', /expected an address/],
  ['javascript:alert(1)', /expected an address/],
  ['https:example.org', /expected an address/],
  ['https:///example.org', /expected an address/],
  ['https:\\\\example.org', /expected an address/],
  ['https://example.org\\@127.0.0.1/', /expected an address/],
  ['example.org/hooks', /expected an address/],
  ['', /expected an address/],
  ['https://example.org/\r\nx-forged: yes', /control character/],
  ['https://exa\tmple.org/', /control character/],
  ['https://example.org/a b', /blank/],
  [`https://example.org/${'a'.repeat(2_000)}`, /longer than 2000/],
];

for (const [url, reason] of REFUSED) {
  test(`destination › given ${JSON.stringify(url.slice(0, 60))} › it is refused, with why`, (t) => {
    const error = t.throws(() => readDestination(url, { allowPrivate: false }), {
      instanceOf: TreasuryError,
    });
    t.is(error.code, 'invalid_url');
    t.regex(error.message, reason);
    t.notRegex(error.message, /hunter2/);
  });
}

for (const url of [
  'https://example.org/hooks',
  'https://example.org:443/hooks?a=b',
  'https://example.org:8443/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'HTTPS://Example.ORG/Hooks',
]) {
  test(`destination › given ${url} › it is taken`, (t) => {
    t.is(readDestination(url, { allowPrivate: false }).href, new URL(url).href);
  });
}

test('destination › given private addresses that are allowed › http is still for this machine alone', (t) => {
  for (const url of [
    'http://127.0.0.1:3000/',
    'http://localhost:3000/',
    'http://[::1]:3000/',
    'https://10.0.0.1:9/',
  ])
    t.notThrows(() => readDestination(url, { allowPrivate: true }), url);
  for (const url of [
    'http://10.0.0.1/',
    'http://example.org/',
    'https://224.0.0.1/',
    'https://0.0.0.0/',
    'https://[::]/',
  ])
    t.throws(() => readDestination(url, { allowPrivate: true }), { instanceOf: TreasuryError }, url);
});
