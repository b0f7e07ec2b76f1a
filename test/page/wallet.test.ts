/** A wallet on a phone, asked from the page: the page's own bundle against a real daemon, real relays and a phone. */
import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild';
import { brotliCompressSync } from 'node:zlib';
import { parseAddress } from '../../src/bch/address.js';
import { hexOf } from '../../src/bch/hex.js';
import { ERRORS, isTreasuryError, type ErrorCode } from '../../src/errors.js';
import { phonePlaces, relayOrigins } from '../../src/settings/phone-places.js';
import type { Failure, PageWallet, Protocol, WalletTransaction } from '../../src/page/wallet/port.js';
import { FAILURES } from '../../src/page/wallet/words.js';
import { serve, type Json } from '../acceptance/client.js';
import { openTreasury } from '../treasury.js';
import { openPhone } from '../phone/open-phone.js';
import { PROJECT_ID } from '../phone/relay.js';
import { HARMFUL } from '../phone/tell-lies.js';
import { bundleWallet, openTab } from './browser.js';

const HARMFUL_SLICE = 8;

/** A daemon with its page, a phone with money, and a tab. */
const open = async (
  t: ExecutionContext,
  options: { readonly trustAddressHeader?: boolean; readonly wait?: number } = {},
) => {
  const { trustAddressHeader = true, wait = 20 } = options;
  const treasury = await openTreasury(t);
  const { phone, relay, nostr } = await openPhone(t, '0e'.repeat(16));
  const page = phonePlaces({
    walletconnectRelayUrl: relay.url,
    walletconnectProjectId: PROJECT_ID,
    wizardconnectRelayUrl: nostr.url,
    walletWait: wait,
  });
  const served = await serve(t, treasury, { page, trustAddressHeader, naming: 'given' });
  const { address } = await phone.do('account');
  for (let coin = 0; coin < 3; coin += 1)
    await treasury.chain.pay(parseAddress(address, 'local'), 20_000_000n);
  const tab = await openTab(served.url);
  const wallet = tab.load();
  const told: string[] = [];
  const tell = (text: string): void => void told.push(text);
  const connect = (by: PageWallet = wallet, protocol: Protocol = 'walletconnect') =>
    by.connect({
      protocol,
      tell,
      onUri: (_uri, picture) => {
        // The phone has what a camera sees.
        void phone.do('scan', picture.startsWith('WIZ') ? picture : _uri);
      },
    });
  /** A payment of the phone's wallet to bob, and the transaction that funds it. */
  const payment = async (by: PageWallet = wallet) => {
    const { bob } = treasury.people;
    const { medianTimePast } = await treasury.app.context.chain.tip();
    const named = namingOf(by, address);
    const created = await served.call(
      'POST',
      '/api/payments/create',
      {
        sender: address,
        recipient: treasury.addressOf(bob).text,
        tokenType: 'BCH',
        amountPerPeriod: 0.002,
        interval: 'MONTHLY',
        startDate: medianTimePast - 1,
      },
      named,
    );
    t.is(created.status, 200, JSON.stringify(created.body));
    const { id } = created.body['payment'] as Record<string, string>;
    const path = `/api/payments/${id ?? ''}`;
    const { body } = await served.call('GET', `${path}/funding-info`, undefined, named);
    return { path, wcTransaction: body['wcTransaction'] as WalletTransaction };
  };
  return { ...served, treasury, phone, relay, nostr, tab, wallet, told, tell, connect, payment, address };
};

const namingOf = (wallet: PageWallet, address: string) => {
  const { authorization } = wallet.headers() as { readonly authorization?: string };
  return {
    address,
    ...(authorization === undefined ? {} : { token: authorization.slice('Bearer '.length) }),
  };
};

const failureOf = async (work: Promise<unknown>): Promise<Failure> => {
  try {
    await work;
  } catch (error) {
    return error as Failure;
  }
  throw new Error('it did not fail');
};

for (const protocol of ['walletconnect', 'wizardconnect'] as const) {
  test(`the page › given an app over ${protocol} › it is connected, signs, and is let go of`, async (t) => {
    const { wallet, connect, payment, call, phone, tell, told, address, relay, nostr } = await open(t);
    t.is(wallet.restore(), null);
    const session = await connect(wallet, protocol);
    t.like(session, { protocol, address, signsMessages: protocol === 'walletconnect' });
    t.deepEqual(wallet.headers(), { 'x-user-address': address });
    const { path, wcTransaction } = await payment();
    const signed = await wallet.sign(wcTransaction, { tell, purpose: { path } });
    t.true(signed.isComplete);
    t.is(signed.publicKey, (await phone.do('account')).publicKey);
    t.is(wallet.session()?.publicKey, signed.publicKey);
    t.regex(told.join('\n'), /is asked to sign this transaction: look at the phone\.$/m);
    t.deepEqual(wallet.pending()?.purpose, { path });
    const sent = await call('POST', '/api/transactions/broadcast', { transaction: signed.transaction });
    t.like(sent, { status: 200, body: { txHash: signed.txid } });
    const confirmed = await call('POST', `${path}/confirm-funding`, { txHash: signed.txid });
    t.like(confirmed.body, { success: true, status: 'ACTIVE' });
    wallet.forget();
    t.is(wallet.pending(), null);
    t.is(await wallet.disconnect(), null);
    await phone.sees('session ended');
    t.is(wallet.session(), null);
    t.deepEqual([...relay.complaints, ...nostr.complaints], []);
  });
}

test('the page › given a spend of a vault › the phone signs second, what is missing is told, and it is sent', async (t) => {
  const { wallet, connect, call, treasury, tell, phone, address } = await open(t);
  const { alice, bob } = treasury.people;
  const { publicKey } = await phone.do('account');
  await connect();
  const as = (who: string, method: string, path: string, body?: Json) =>
    call(method, path, body, { address: who });
  const [first, second] = [alice, bob].map((who) => treasury.addressOf(who).text) as [string, string];
  for (let coin = 0; coin < 2; coin += 1) await treasury.give(alice, 20_000_000n);
  const created = await as(first, 'POST', '/api/vaults', {
    name: 'Common funds',
    signers: [first, address, second],
    signerPubkeys: [hexOf(alice.publicKey), publicKey, hexOf(bob.publicKey)],
    totalDeposit: 0.1,
  });
  const path = `/api/vaults/${String(created.body['id'])}`;
  const { body: deposit } = await as(first, 'GET', `${path}/deposit`);
  const txid = await treasury.send(alice, deposit['wcTransaction']);
  t.is((await as(first, 'POST', `${path}/update-balance`, { txid, amount: 0.1 })).status, 200);
  const outputs = [{ to: second, amount: 0.02 }];
  t.is((await as(first, 'POST', `${path}/spends`, { outputs })).status, 200);
  const spend = `${path}/spends/SPEND-0001`;

  const askPhone = async () => {
    const { body } = await as(address, 'POST', `${spend}/sign`);
    return body['wcTransaction'] as WalletTransaction;
  };
  // Alone: another signature is missing.
  const alone = await wallet.sign(await askPhone(), { tell, purpose: null });
  t.like(alone, { isComplete: false, publicKey });
  const { body: asked } = await as(first, 'POST', `${spend}/sign`);
  const signedTransaction = treasury.sign(alice, asked['wcTransaction']);
  t.like((await as(first, 'POST', `${spend}/signatures`, { signedTransaction })).body, { status: 'PENDING' });
  for (const lie of ['badSignature', 'foreignKey', 'outputValue'] as const) {
    await phone.do('plan', { do: 'accept', lie });
    const failure = await failureOf(wallet.sign(await askPhone(), { tell, purpose: null }));
    t.regex(failure.code, /^wallet_(?:answer_differs|account_mismatch)$/, lie);
  }
  const both = await wallet.sign(await askPhone(), { tell, purpose: null });
  const taken = await as(address, 'POST', `${spend}/signatures`, { signedTransaction: both.transaction });
  t.like(taken.body, { status: 'READY' });
  t.like((await as(address, 'POST', `${spend}/broadcast`)).body, { status: 'SPENT' });
});

test('the page › given a daemon that trusts no header › the app logs in as it is connected, and again after a reload', async (t) => {
  const { wallet, connect, payment, tab, tell, phone, address, call } = await open(t, {
    trustAddressHeader: false,
  });
  const session = await connect();
  t.is(session.publicKey, (await phone.do('account')).publicKey);
  t.false(wallet.needsLogin());
  t.regex(String(wallet.headers()['authorization']), /^Bearer ./);
  await payment();
  // The token is in memory only.
  const token = String(wallet.headers()['authorization']).slice('Bearer '.length);
  t.false([...tab.kept.values()].some((text) => text.includes(token)));
  const again = tab.load();
  t.deepEqual(again.restore(), session);
  t.true(again.needsLogin());
  t.deepEqual(again.headers(), {});
  t.is((await call('GET', '/api/payments', undefined, { address })).status, 401);
  await again.login(tell);
  t.false(again.needsLogin());
  await payment(again);
  again.forgetLogin();
  t.true(again.needsLogin());
});

test('the page › given an app that lies about a login › it is not connected', async (t) => {
  const { wallet, connect, phone, tab } = await open(t, { trustAddressHeader: false });
  for (const lie of ['foreignKey', 'anotherText', 'empty'] as const) {
    await phone.do('plan', { do: 'accept', for: 'bch_signMessage', lie });
    t.like(await failureOf(connect()), { code: 'wallet_proof_failed' }, lie);
    t.is(wallet.session(), null);
  }
  t.is(tab.kept.size, 0);
});

test('the page › given an app over WizardConnect and a daemon that trusts no header › why it cannot log in is said', async (t) => {
  const { wallet, connect, tell } = await open(t, { trustAddressHeader: false });
  await connect(wallet, 'wizardconnect');
  t.true(wallet.needsLogin());
  const failure = await failureOf(wallet.login(tell));
  t.is(failure.code, 'wallet_unsupported');
  t.regex(failure.message, /WizardConnect signs no messages.*WalletConnect/);
});

test('the page › given a reload while the phone is asked › the late answer is taken', async (t) => {
  const { connect, payment, tab, tell, phone, call } = await open(t);
  for (const protocol of ['walletconnect', 'wizardconnect'] as const) {
    const wallet = tab.load();
    await connect(wallet, protocol);
    const { path, wcTransaction } = await payment(wallet);
    await phone.do('plan', { do: 'silence' });
    const shown = phone.events.length;
    void wallet.sign(wcTransaction, { tell, purpose: { path } }).catch(() => undefined);
    while (!phone.events.slice(shown).some(({ kind }) => kind === 'request'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const again = tab.load();
    again.restore();
    const pending = again.pending();
    t.deepEqual(pending?.purpose, { path });
    t.deepEqual(pending?.transaction, wcTransaction);
    const resumed = again.resume(tell);
    await phone.do('tap', { do: 'accept' });
    const { transaction, txid } = await resumed;
    // Once more: it was signed before.
    const third = tab.load();
    third.restore();
    t.is((await third.resume(tell)).txid, txid);
    t.is((await call('POST', '/api/transactions/broadcast', { transaction })).status, 200);
    third.forget();
  }
});

test('the page › given lies about what was signed › none passes, and nothing is sent', async (t) => {
  const { wallet, connect, payment, phone, tell, treasury, address } = await open(t);
  await connect();
  const { wcTransaction } = await payment();
  for (const lie of HARMFUL.filter((_, index) => index % Math.ceil(HARMFUL.length / HARMFUL_SLICE) === 0)) {
    await phone.do('plan', { do: 'accept', lie });
    const failure = await failureOf(wallet.sign(wcTransaction, { tell, purpose: null }));
    // A lie that cannot be told of this transaction is answered with an error.
    const expected = ['wallet_answer_differs', 'wallet_account_mismatch', 'wallet_failed'];
    t.true(expected.includes(failure.code), `${lie}: ${failure.code} ${failure.message}`);
    t.is(wallet.pending(), null);
    t.log(`${lie}: ${failure.message}`);
  }
  const { lockingBytecode } = parseAddress(address, 'local');
  const coins = await treasury.app.context.chain.coins(lockingBytecode);
  t.is(coins.length, 3);
  t.true((await wallet.sign(wcTransaction, { tell, purpose: null })).isComplete);
});

test('the page › given a no, a silence, and somebody who has waited enough › each has its code and its words', async (t) => {
  const { wallet, connect, payment, phone, tell } = await open(t, { wait: 2 });
  t.is((await failureOf(wallet.sign({} as never, { tell, purpose: null }))).code, 'wallet_not_connected');
  await connect();
  const { wcTransaction } = await payment();
  await phone.do('plan', { do: 'decline' });
  const declined = await failureOf(wallet.sign(wcTransaction, { tell, purpose: null }));
  t.is(declined.code, 'wallet_declined');
  t.regex(declined.message, /^The wallet .* has declined to sign this transaction: nothing was signed/);

  await phone.do('plan', { do: 'silence' });
  const silent = await failureOf(wallet.sign(wcTransaction, { tell, purpose: 'x' }));
  t.like(silent, { code: 'wallet_silent', retryable: true });
  t.is(wallet.pending()?.purpose, 'x');

  const waiting = wallet.sign(wcTransaction, { tell, purpose: 'y' });
  const busy = await failureOf(wallet.signMessage('hello', tell));
  t.is(busy.code, 'wallet_busy');
  wallet.cancel();
  t.is((await failureOf(waiting)).code, 'interrupted');
  t.is(wallet.pending(), null);
  await phone.do('plan', { do: 'accept' });
  t.regex(await wallet.signMessage('hello', tell), /^[\w+/]{87}=$/);
});

test('the page › given somebody who stops while the answer is checked › nothing comes of it', async (t) => {
  const { connect, payment, tell, url } = await open(t);
  let stop: () => void = () => undefined;
  const tab = await openTab(url, {}, async (method, path, body) => {
    if (path === '/api/transactions/check') stop();
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (
      await fetch(`${url}${path}`, { method, headers: { 'content-type': 'application/json' }, ...sent })
    ).json();
  });
  const wallet = tab.load();
  stop = wallet.cancel;
  await connect(wallet);
  const { wcTransaction } = await payment(wallet);
  t.is((await failureOf(wallet.sign(wcTransaction, { tell, purpose: 'x' }))).code, 'interrupted');
  t.is(wallet.pending(), null);
});

test('the page › given a relay that is away, or refuses › it is said', async (t) => {
  const { wallet, connect, relay } = await open(t);
  relay.faults.refuse = 'close';
  t.is((await failureOf(connect())).code, 'project_id_refused');
  // A browser is not told the status of an answer that is no WebSocket.
  relay.faults.refuse = 'status';
  t.like(await failureOf(connect()), { code: 'relay_unavailable', retryable: true });
  t.is(wallet.session(), null);
});

test('the bundle › it has nothing of Node, and stays light', async (t) => {
  const script = await bundleWallet();
  t.notRegex(script, /\bBuffer\b|\bprocess\.|\brequire\(|node:|libauth|secp256k1_/);
  const weigh = async (entries: Readonly<Record<string, string>>): Promise<number> => {
    const { outputFiles } = await build({
      entryPoints: entries,
      outdir: 'unwritten',
      bundle: true,
      splitting: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      target: ['es2022'],
      minify: true,
      logLevel: 'silent',
    });
    return outputFiles.reduce((sum, { contents }) => sum + brotliCompressSync(contents).length, 0);
  };
  const alone = await weigh({ wc: 'src/wallet-protocols/walletconnect/walletconnect.ts' });
  const both = await weigh({ wallet: 'src/page/wallet/open-wallet.ts' });
  t.log({ alone, both });
  t.true(alone < 22 * 1024, `WalletConnect alone: ${alone} bytes`);
  t.true(both < 38 * 1024, `both, with the page's own part: ${both} bytes`);
});

/** Where the command line names a command or a setting, the page does not. */
const OTHER_WORDS: readonly string[] = [
  'project_id_missing',
  'project_id_refused',
  'wallet_account_mismatch',
  'wallet_busy',
  'wallet_network_mismatch',
  'wallet_offline',
  'wallet_session_ended',
  'wallet_unsupported',
];
const OWN: readonly string[] = ['interrupted', 'nothing_pending', 'wallet_not_connected'];

test('words › they are those of the command line, but where that names a command', (t) => {
  for (const [code, { text, retryable = false }] of Object.entries(FAILURES)) {
    if (OWN.includes(code)) continue;
    const entry = ERRORS[code as ErrorCode];
    t.is(entry.retryable, retryable, code);
    if (OTHER_WORDS.includes(code)) t.not(text, entry.message, `${code} need not be among the other words`);
    else t.is(text, entry.message, code);
    t.notRegex(text, /`treasury|--\w/, code);
    const names = (words: string) => new Set(words.match(/\{\w+\}/g) ?? []);
    for (const name of names(text)) t.true(names(entry.message).has(name), `${code} has no ${name}`);
  }
  t.false(isTreasuryError(new Error('none')));
});

test('relays › given what is configured › the policy names origins, and the page is told nothing that is secret', async (t) => {
  const places = phonePlaces({
    walletconnectRelayUrl: 'wss://relay.example.org/path?key=1',
    walletconnectProjectId: null,
    wizardconnectRelayUrl: null,
    walletWait: 5,
  });
  t.is(places.walletconnect, null);
  t.deepEqual(relayOrigins(places), ['wss://relay.riften.net', 'wss://relay.cauldron.quest']);
  const own = phonePlaces({
    walletconnectRelayUrl: 'ws://127.0.0.1:99/x?key=1',
    walletconnectProjectId: 'p',
    wizardconnectRelayUrl: 'wss://nostr.example.org:8443',
    walletWait: 5,
  });
  t.deepEqual(relayOrigins(own), ['ws://127.0.0.1:99', 'wss://nostr.example.org:8443']);
  const { call } = await open(t);
  const { body } = await call('GET', '/api');
  const page = body['page'] as Json;
  t.deepEqual(Object.keys(page).sort(), [
    'network',
    'trustsAddressHeader',
    'wait',
    'walletconnect',
    'wizardconnect',
  ]);
});
