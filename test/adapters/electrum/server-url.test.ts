import test from 'ava';
import { DEFAULT_SERVERS, parseServerUrl } from '../../../src/adapters/electrum/server-url.js';
import { NETWORKS, networkNames } from '../../../src/bch/network.js';
import { TreasuryError } from '../../../src/errors.js';

const PIN = 'ab'.repeat(32);

for (const [text, scheme, host, port, fingerprint] of [
  ['tcp://node.example', 'tcp', 'node.example', 50_001, null],
  ['tls://node.example', 'tcp_tls', 'node.example', 50_002, null],
  ['ws://node.example', 'ws', 'node.example', 50_003, null],
  ['wss://node.example/', 'wss', 'node.example', 50_004, null],
  ['ws://node.example:80', 'ws', 'node.example', 80, null],
  ['WSS://node.example:443', 'wss', 'node.example', 443, null],
  ['tcp://127.0.0.1:60401', 'tcp', '127.0.0.1', 60_401, null],
  ['tcp://[::1]:60401', 'tcp', '::1', 60_401, null],
  ['ws://[::1]:60401', 'ws', '[::1]', 60_401, null],
  [`tls://node.example?fingerprint=${PIN}`, 'tcp_tls', 'node.example', 50_002, PIN],
  [`tls://node.example:1?fingerprint=${PIN.toUpperCase()}`, 'tcp_tls', 'node.example', 1, PIN],
] as const) {
  test(`a server › given ${text} › it is ${host} on ${port} by ${scheme}`, (t) => {
    t.deepEqual(parseServerUrl(text), { text, scheme, host, port, fingerprint });
  });
}

for (const text of [
  'node.example',
  'node.example:50001',
  'https://node.example',
  'tcp://',
  'tcp://node.example:0',
  'tcp://node.example:65536',
  'tcp://node.example:x',
  'wss://node.example/electrum',
  'wss://me:secret@node.example',
  'tls://node.example?fingerprint=ab',
  'tls://node.example?pin=ab',
  `wss://node.example?fingerprint=${PIN}`,
]) {
  test(`a server › given ${text} › it is refused`, (t) => {
    const error = t.throws(() => parseServerUrl(text), { instanceOf: TreasuryError });
    t.like(error, { code: 'invalid_setting', details: { value: text } });
  });
}

test('the servers that are known › they are WSS, and there are some for every public network', (t) => {
  for (const network of networkNames) {
    const servers = DEFAULT_SERVERS[network].map(parseServerUrl);
    t.true(servers.every(({ scheme }) => scheme === 'wss'));
    t.is(servers.length > 0, NETWORKS[network].walletsReach, network);
  }
});
