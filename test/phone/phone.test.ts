/** The phone and its relay by themselves: what they say is what the messages say, and its lies are lies. */
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { parseAddress } from '../../src/bch/address.js';
import { verifyMessage } from '../../src/bch/signed-message.js';
import { encodeWalletTransaction } from '../../src/bch/signing-request.js';
import { decodeRaw } from '../../src/bch/transaction.js';
import { consensusRefusal } from '../../src/bch/virtual-machine.js';
import { verifyTransaction } from '../../src/bch/wallet-transaction.js';
import { RawDapp } from './dapp.js';
import { fromHex, open, seal, sharedKey, toHex, topicOf } from './envelope.js';
import { parseExact, stringifyExact } from './exact-json.js';
import { addressOf, keyOf } from './key.js';
import { HARMLESS, LIES } from './lies.js';
import { startPhone, type Phone } from './phone.js';
import { makeTicket, readTicket } from './relay-ticket.js';
import { PROJECT_ID, startRelay, type Relay } from './relay.js';
import { contractSpendOf } from './requests.js';

const CHAIN = 'bch:bchtest';
const METHODS = ['bch_getAddresses', 'bch_signTransaction', 'bch_signMessage', 'bch_cancelPendingRequests'];
const RECIPIENT = addressOf(keyOf(new Uint8Array(32).fill(9)).lockingBytecode, 'bchtest') ?? '';
const SEED = '07'.repeat(16);

type World = {
  readonly relay: Relay;
  readonly phone: Phone;
  readonly dapp: RawDapp;
  readonly address: string;
};

const begin = async (
  t: ExecutionContext,
  more: Partial<Parameters<typeof startPhone>[0]> = {},
): Promise<World> => {
  const relay = await startRelay();
  const phone = startPhone({
    seed: SEED,
    chain: 'bchtest',
    relay: relay.url,
    projectId: PROJECT_ID,
    ...more,
  });
  const dapp = new RawDapp(relay.url, PROJECT_ID);
  t.teardown(async () => {
    dapp.close();
    await phone.stop();
    await relay.close();
  });
  const { address } = await phone.do('account');
  return { relay, phone, dapp, address };
};

const meet = async (
  { phone, dapp }: World,
  methods: readonly string[] = METHODS,
): Promise<Record<string, unknown>> => {
  const [params] = await Promise.all([dapp.connect(CHAIN, methods), phone.do('scan', dapp.uri)]);
  await phone.sees('session');
  return params;
};

const answerTo = async (
  { dapp }: World,
  method: string,
  params: unknown,
): Promise<Record<string, unknown>> => {
  const id = await dapp.ask(CHAIN, method, params);
  return dapp.until((rpc) => rpc.id === id && rpc.tag === 1109);
};

test('integers of JSON stay what they are', (t) => {
  const text =
    '{"id":1795393230123456789,"small":7,"text":"1795393230123456789 \\"{","list":[-1795393230123456789,1.5]}';
  t.is((parseExact(text) as { id: unknown }).id, 1_795_393_230_123_456_789n);
  t.is(stringifyExact(parseExact(text)), text);
});

type Vectors = Record<
  string,
  { readonly input: Record<string, string>; readonly output: Record<string, string> }
>;

test('keys, topics, envelopes and tickets are those of the SDK', (t) => {
  const vectors = JSON.parse(readFileSync('fixtures/wallet-vectors.json', 'utf8')) as Vectors;
  const at = (name: string): [Partial<Record<string, string>>, Partial<Record<string, string>>] => {
    const { input = {}, output = {} } = vectors[name] ?? {};
    return [input, output];
  };
  const bytes = (hex = ''): Uint8Array => fromHex(hex);

  const [keys, shared] = at('wc-hkdf');
  const symKey = sharedKey(bytes(keys['privateKey']), bytes(keys['peerPublicKey']));
  t.deepEqual([toHex(symKey), topicOf(symKey)], [shared['symKey'], shared['topic']]);

  const [plain, sealed] = at('wc-envelope-0');
  t.is(seal(bytes(plain['symKey']), plain['message'] ?? '', bytes(plain['nonce'])), sealed['envelope'] ?? '');
  t.is(open(bytes(plain['symKey']), sealed['envelope'] ?? ''), plain['message'] ?? '');
  t.throws(() => open(bytes(plain['symKey']), at('wc-envelope-1')[1]['envelope'] ?? ''), {
    message: /type 1/,
  });

  const [{ seed, audience = '', subject = '', iat }, { ticket = '' }] = at('wc-jwt');
  t.is(makeTicket(bytes(seed), { audience, subject, now: Number(iat) }), ticket);
  t.notThrows(() => readTicket(ticket, audience, Number(iat)));
  t.throws(() => readTicket(`${ticket.slice(0, -3)}AAA`, audience, Number(iat)));
});

test('the phone signs a payment, a coin of a contract and a text, and says what it shows', async (t) => {
  const world = await begin(t, { cancels: true });
  const { phone, relay, address } = world;
  const settled = await meet(world);
  t.like(settled, {
    namespaces: { bch: { accounts: [`bch:${address}`], chains: [CHAIN], methods: METHODS } },
  });
  t.deepEqual((await answerTo(world, 'bch_getAddresses', {})).result, [address]);

  const asked = contractSpendOf(address, RECIPIENT);
  const { result } = await answerTo(world, 'bch_signTransaction', encodeWalletTransaction(asked));
  const { signedTransaction } = result as { signedTransaction: string };
  t.notThrows(() => {
    verifyTransaction({ transaction: decodeRaw(signedTransaction), sourceOutputs: [...asked.sourceOutputs] });
  });
  await phone.sees('request');
  t.like(await phone.sees('request'), {
    userPrompt: 'Pay 25000 satoshis',
    broadcast: false,
    shown: {
      pays: [{ to: RECIPIENT, value: '25000' }],
      spends: [{ from: address }, { contract: 'Holes' }],
    },
  });

  const signature = (await answerTo(world, 'bch_signMessage', { message: 'hello' })).result as string;
  t.true(verifyMessage('hello', signature, parseAddress(address, 'local')));
  t.deepEqual(relay.complaints, []);
  t.deepEqual(
    phone.events.filter(({ kind }) => kind === 'failed'),
    [],
  );
});

test('each lie differs from what was asked', async (t) => {
  const world = await begin(t, { cancels: true });
  const { phone, address } = world;
  await meet(world);
  const asked = contractSpendOf(address, RECIPIENT);
  const request = encodeWalletTransaction(asked);
  const honest = (await answerTo(world, 'bch_signTransaction', request)).result as Record<string, string>;
  const impossible: string[] = [];
  const valid: string[] = [];
  for (const lie of LIES) {
    await phone.do('plan', { do: 'accept', lie });
    const { result, error } = await answerTo(world, 'bch_signTransaction', request);
    if (error !== undefined) impossible.push(lie);
    else {
      t.notDeepEqual(result, honest, lie);
      const { signedTransaction = '' } = result as Record<string, string>;
      try {
        const refusal = consensusRefusal({
          transaction: decodeRaw(signedTransaction),
          sourceOutputs: [...asked.sourceOutputs],
        });
        if (refusal === null) valid.push(lie);
      } catch {
        // Not a transaction.
      }
    }
  }
  t.deepEqual(impossible, ['outputToken', 'foreignInput']);
  for (const lie of HARMLESS) t.true(valid.includes(lie) || lie === 'upperCase', lie);
  // Lies that no signature and no script gives away.
  t.log(valid.join(' '));
  t.true(
    ['outputValue', 'outputLocking', 'locktime', 'argument', 'sighashType'].every((lie) =>
      valid.includes(lie),
    ),
  );
});
