import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { refused } from '../local-chain/chain-fixture.js';
import { TEST_CERTIFICATE, TEST_FINGERPRINT, TEST_KEY } from './certificate.js';
import { openThrough, serveChain } from './electrum-fixture.js';

/** A TLS server with a certificate that nobody vouches for, before a chain's TCP server; returns its URL. */
const serveTls = async (t: ExecutionContext): Promise<string> => {
  const { tcpUrl } = await serveChain(t);
  const { port } = new URL(tcpUrl);
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (outer) => {
    const inner = connect({ host: '127.0.0.1', port: Number(port) });
    for (const socket of [outer, inner]) socket.on('error', () => undefined);
    outer.pipe(inner).pipe(outer);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => server.close());
  return `tls://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('TLS › given the pinned certificate › it is used without a word', async (t) => {
  const url = await serveTls(t);
  const upper = (TEST_FINGERPRINT.match(/../g) ?? []).join(':').toUpperCase();
  for (const pin of [TEST_FINGERPRINT, upper]) {
    const chain = await openThrough(t, [`${url}?fingerprint=${pin}`]);
    t.true((await chain.tip()).height > 0);
    t.deepEqual(chain.log.warnings, []);
  }
});

test('TLS › given another certificate than the pinned one › it is not used', async (t) => {
  const url = await serveTls(t);
  const chain = await openThrough(t, [`${url}?fingerprint=${'ab'.repeat(32)}`]);
  const error = await refused(t, chain.tip(), 'chain_unavailable');
  t.regex(error.message, new RegExp(`fingerprint ${TEST_FINGERPRINT}, not the pinned one`));
});

test('TLS › given a certificate that nobody vouches for › it is used with a warning that says how to pin it', async (t) => {
  const url = await serveTls(t);
  const chain = await openThrough(t, [url]);
  t.true((await chain.tip()).height > 0);
  t.regex(chain.log.warnings.join(), new RegExp(`pin it with \\?fingerprint=${TEST_FINGERPRINT}`));
});

test('WSS › given a certificate that nobody vouches for › it is not used', async (t) => {
  const url = await serveTls(t);
  const chain = await openThrough(t, [url.replace('tls:', 'wss:')]);
  const error = await refused(t, chain.tip(), 'chain_unavailable');
  t.regex(error.message, /certificate/);
});
