/** The reference SDK against the relay, the phone and the raw dapp; what was said between them, as vectors. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeWalletTransaction } from '../../src/bch/signing-request.js';
import { RawDapp } from './dapp.js';
import { fromHex, open, toHex } from './envelope.js';
import { addressOf, keyOf } from './key.js';
import { startPhone, type Phone } from './phone.js';
import { PROJECT_ID, startRelay, type Publication, type Relay } from './relay.js';
import { contractSpendOf } from './requests.js';
import { ownVectors } from './own-vectors.js';
import { SDK, startSdkDapp, startSdkWallet, vectorsOfSdk } from './sdk.js';

const CHAIN = 'bch:bchtest';
const METHODS = ['bch_getAddresses', 'bch_signTransaction', 'bch_signMessage'];
const SEED = '0a'.repeat(16);
const RECIPIENT = addressOf(keyOf(new Uint8Array(32).fill(9)).lockingBytecode, 'bchtest') ?? '';

type Vector = { readonly source?: string; readonly input: unknown; readonly output: unknown };
type Vectors = Record<string, Vector>;
type KeyOf = (topic: string) => Uint8Array | undefined;

/** What was published, read; `by` is who did: the dapp or the wallet. */
const read = (publications: readonly Publication[], keyFor: KeyOf, dapp: string): unknown[] =>
  publications.map(({ topic, message, tag, ttl, prompt, from }) => {
    const key = keyFor(topic);
    return {
      by: from === dapp ? 'dapp' : from === 'outside' ? 'relay' : 'wallet',
      topic,
      tag,
      ttl,
      prompt,
      envelope: message,
      json: key === undefined ? null : (JSON.parse(open(key, message)) as unknown),
    };
  });

/** What is published while `act` runs, and a moment after it. */
const during = async (relay: Relay, act: () => Promise<unknown>): Promise<Publication[]> => {
  const before = relay.published.length;
  await act();
  await sleep(300);
  return relay.published.slice(before);
};

type Scene = {
  readonly relay: Relay;
  readonly wallet: Phone;
  readonly vectors: Vectors;
  readonly say: (what: string) => void;
};

/** A proposal that the SDK declines. */
const playReject = async ({ relay, wallet, vectors, say }: Scene): Promise<void> => {
  const dapp = new RawDapp(relay.url, PROJECT_ID, 'declined');
  try {
    await wallet.do('meet', { do: 'decline' });
    const said = await during(relay, async () => {
      await dapp.propose(CHAIN, METHODS);
      await wallet.do('scan', dapp.uri);
      await dapp.until(({ error }) => error !== undefined);
    });
    const [, answer] = said;
    assert.equal(answer?.tag, 1120);
    vectors['wc-reject'] = {
      input: { symKey: toHex(dapp.symKey), privateKey: toHex(dapp.privateKey) },
      output: read(said, (topic) => dapp.keyOf(topic), said[0]?.from ?? ''),
    };
    say('the SDK declines');
  } finally {
    dapp.close();
  }
};

/** The SDK as the wallet: all that it is asked for, by a dapp that checks nothing. */
const playWallet = async (scene: Scene): Promise<void> => {
  const { relay, wallet, vectors, say } = scene;
  const dapp = new RawDapp(relay.url, PROJECT_ID, 'accepted');
  const keyFor: KeyOf = (topic) => dapp.keyOf(topic);
  const answerOf = async (id: number): Promise<{ readonly result?: unknown; readonly error?: unknown }> =>
    dapp.until((rpc) => rpc.id === id && rpc.tag === 1109);
  const record = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    const said = await during(relay, act);
    const symKey = toHex(dapp.keyOf(dapp.session) ?? new Uint8Array());
    vectors[name] = { input: { sessionTopic: dapp.session, symKey }, output: read(said, keyFor, from) };
    say(`${name}: ${said.map(({ tag }) => tag).join(' ')}`);
  };
  let from = '';
  try {
    const said = await during(relay, async () => {
      await Promise.all([dapp.connect(CHAIN, METHODS), wallet.do('scan', dapp.uri)]);
      await wallet.sees('session');
    });
    from = said[0]?.from ?? '';
    vectors['wc-propose-settle'] = {
      input: { symKey: toHex(dapp.symKey), privateKey: toHex(dapp.privateKey), sessionTopic: dapp.session },
      output: read(said, keyFor, from),
    };
    say(`wc-propose-settle: ${said.map(({ tag }) => tag).join(' ')}`);
    const { address, publicKey } = await wallet.do('account');

    const asked = encodeWalletTransaction(contractSpendOf(address, RECIPIENT));
    await record('wc-request', async () => {
      const addresses = await answerOf(await dapp.ask(CHAIN, 'bch_getAddresses', {}));
      assert.deepEqual(addresses.result, [address]);
      const { result } = await answerOf(await dapp.ask(CHAIN, 'bch_signTransaction', asked));
      vectors['bch-holes'] = { input: { asked, publicKey, address }, output: result };
      await wallet.do('plan', { do: 'decline' });
      const declined = await answerOf(await dapp.ask(CHAIN, 'bch_signTransaction', asked));
      assert.equal((declined.error as { code: number }).code, 5000);
      const message = 'Log in to treasury: żółw';
      const signed = await answerOf(await dapp.ask(CHAIN, 'bch_signMessage', { message }));
      vectors['bch-message'] = { input: { message, address, publicKey }, output: signed.result };
    });

    await record('wc-error-empty', async () => {
      for (const [chain, method] of [
        [CHAIN, 'bch_cancelPendingRequests'],
        ['bch:bitcoincash', 'bch_signMessage'],
      ] as const) {
        const { error } = await answerOf(await dapp.ask(chain, method, { message: 'x' }));
        say(`not granted: ${JSON.stringify(error)}`);
      }
    });

    await record('wc-expiry', async () => {
      const { result } = await answerOf(await dapp.ask(CHAIN, 'bch_getAddresses', {}, 60));
      assert.ok(result);
    });

    await record('wc-echo-ping', async () => {
      const id = dapp.nextId();
      await dapp.sendInSession(1114, { id, method: 'wc_sessionPing', params: {} });
      await dapp.until((rpc) => rpc.id === id && rpc.result === true);
      // The relay gives our own ping back. (The SDK dies of an echo of its own answers.)
      const ping = relay.published.findLast(({ tag }) => tag === 1114);
      relay.inject(dapp.session, ping?.message ?? '', 1114);
    });

    await record('wc-duplicate', async () => {
      const before = wallet.events.filter(({ kind }) => kind === 'request').length;
      relay.faults.twice = true;
      await answerOf(await dapp.ask(CHAIN, 'bch_getAddresses', {}));
      relay.faults.twice = false;
      await sleep(300);
      assert.equal(wallet.events.filter(({ kind }) => kind === 'request').length, before + 1);
    });

    await record('wc-extend', async () => {
      const id = dapp.nextId();
      await dapp.sendInSession(1106, { id, method: 'wc_sessionExtend', params: {} });
      await sleep(500);
    });

    await record('wc-event', async () => {
      const switching = wallet.do('switchAccount', 1);
      const { id } = await dapp.until(({ method }) => method === 'wc_sessionUpdate');
      // The SDK listens for the answer only once it has heard from the relay that it has published.
      await sleep(500);
      await dapp.sendInSession(1105, { id, result: true });
      await switching;
      await dapp.until(({ method }) => method === 'wc_sessionEvent');
    });

    await record('wc-delete', async () => {
      await wallet.do('endSession');
      await dapp.until(({ method }) => method === 'wc_sessionDelete');
    });
  } finally {
    dapp.close();
  }
};

/** The SDK as the dapp: our phone does what it asks for, and it takes what our phone says. */
const playDapp = async (folder: string, { relay, vectors, say }: Omit<Scene, 'wallet'>): Promise<void> => {
  const options = { seed: SEED, chain: 'bchtest', relay: relay.url, projectId: PROJECT_ID } as const;
  const phone = startPhone({ ...options, cancels: true });
  const dapp = startSdkDapp(folder, options);
  const ask = async (what: string, params: unknown = {}): Promise<unknown> => {
    const { result, error } = await dapp.do('ask', what, params);
    if (error !== undefined) throw Object.assign(new Error(JSON.stringify(error)), error);
    return result;
  };
  try {
    const bch = { chains: [CHAIN], methods: METHODS, events: ['addressesChanged'] };
    const before = relay.published.length;
    const uri = (await ask('connect', {
      requiredNamespaces: { bch },
      optionalNamespaces: { bch },
    })) as string;
    await phone.do('scan', uri);
    await ask('settled');
    const { symKey, topic } = await phone.sees('session');
    const keyFor: KeyOf = (given) =>
      given === topic ? fromHex(symKey as string) : fromHex(/symKey=([0-9a-f]+)/.exec(uri)?.[1] ?? '');
    const said = relay.published.slice(before);
    const from = said[0]?.from ?? '';
    vectors['wc-sdk-dapp'] = {
      input: { uri, symKey, sessionTopic: topic },
      output: read(said, keyFor, from),
    };

    const { address } = await phone.do('account');
    const request = (method: string, params: unknown): Promise<unknown> =>
      ask('request', { chainId: CHAIN, request: { method, params } });
    assert.deepEqual(await request('bch_getAddresses', {}), [address]);
    const asked = encodeWalletTransaction(contractSpendOf(address, RECIPIENT));
    assert.ok(((await request('bch_signTransaction', asked)) as Record<string, string>)['signedTransaction']);
    await phone.do('plan', { do: 'decline' });
    await assert.rejects(request('bch_signMessage', { message: 'x' }), { code: 5000 });
    await ask('ping');
    await ask('extend');
    assert.equal((await phone.do('ask', 'wc_sessionPing', {})).result, true);
    say('the SDK talks with the phone');

    const old = Date.now() * 1000;
    await phone.do('switchAccount', 1);
    await dapp.sees('session_update');
    await dapp.sees('session_event');
    const updates = await during(relay, () => phone.do('switchAccount', 2, { event: false, id: old }));
    vectors['wc-old-update'] = {
      input: { symKey, sessionTopic: topic },
      output: read(updates, keyFor, from),
    };
    say(`wc-old-update: ${updates.map(({ tag }) => tag).join(' ')}`);
    await ask('disconnect');
    await phone.sees('session ended');
    assert.deepEqual(
      phone.events.filter(({ kind }) => kind === 'failed'),
      [],
    );
  } finally {
    await dapp.stop();
    await phone.stop();
  }
};

/** Plays it all; the vectors by their names. */
export const playInterop = async (folder: string, say: (what: string) => void): Promise<Vectors> => {
  const vectors: Vectors = (await vectorsOfSdk(folder)) as Record<string, Vector>;
  const relay = await startRelay();
  const options = { seed: SEED, chain: 'bchtest', relay: relay.url, projectId: PROJECT_ID } as const;
  const wallet = startSdkWallet(folder, options);
  try {
    const scene = { relay, wallet, vectors, say };
    await playReject(scene);
    await playWallet(scene);
    await playDapp(folder, scene);
    assert.deepEqual(
      wallet.events.filter(({ kind }) => kind === 'failed'),
      [],
    );
    const others = relay.complaints.filter((complaint) => !complaint.includes('another form'));
    say(`the SDK acknowledged ${relay.complaints.length - others.length} times in a form of its own`);
    assert.deepEqual(others, []);
    const recorded: Vectors = {};
    for (const [name, vector] of Object.entries(vectors)) recorded[name] = { source: SDK, ...vector };
    return { ...recorded, ...ownVectors() };
  } finally {
    await wallet.stop();
    await relay.close();
  }
};
