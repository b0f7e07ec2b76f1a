/** What strangers and subject senders may ask of the time witness, through a real socket. */
import { bob, dave, type Person } from '../../fixtures/people.js';
import { sumSatoshis } from '../../src/bch/coins.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { witnessCollection } from '../../src/offer/witness/offer.js';
import { fundPlan } from '../products/budgets/plan.js';
import { fundPayment } from '../products/payments/payment.js';
import { advance, fundStream, handleOf, terms, type Json } from '../products/streams/stream.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { clientOf, serve } from './client.js';
import { onEmbeddedChain } from './on-every-chain.js';

const WHY = 'it counts the coins of the authority, and moves time';

/** The moves that draw or withdraw a witness, and who alone may have them built. */
const PROVEN = [
  ['streams', 'pause', 'not_sender'],
  ['streams', 'resume', 'not_sender'],
  ['streams', 'cancel', 'not_sender'],
  ['payments', 'pause', 'not_sender'],
  ['payments', 'resume', 'not_sender'],
  ['payments', 'cancel', 'not_sender'],
  ['budget-plans', 'pause', 'not_controller'],
  ['budget-plans', 'resume', 'not_controller'],
  ['budget-plans', 'cancel', 'not_controller'],
] as const;

type Product = (typeof PROVEN)[number][0];

const openAll = async (treasury: Treasury): Promise<Readonly<Record<Product, string>>> => ({
  streams: (await fundStream(treasury)).id,
  payments: (await fundPayment(treasury)).id,
  'budget-plans': (await fundPlan(treasury)).id,
});

const out = async ({ app }: Treasury): Promise<readonly string[]> =>
  (await app.context.store.find(witnessCollection)).items.map(({ id }) => id);

const authorityHolds = async ({ app, addressOf, people }: Treasury): Promise<bigint> =>
  sumSatoshis(await app.context.chain.coins(addressOf(people.authority).lockingBytecode));

onEmbeddedChain(
  'time witness › given nobody, another, and a page of another origin › they draw none and withdraw none',
  WHY,
  async (t) => {
    const treasury = await openTreasury(t);
    const { alice, bob: recipient, mallory } = treasury.people;
    const ids = await openAll(treasury);
    const { url, call, send } = await serve(t, treasury);
    const signed = new Map<Product, unknown>();
    for (const product of ['streams', 'payments', 'budget-plans'] as const) {
      const path = `/api/${product}/${ids[product]}/pause`;
      const built = await call('POST', path, undefined, { address: treasury.addressOf(alice).text });
      t.is(built.status, 200, JSON.stringify(built.body));
      signed.set(product, built.body['wcTransaction']);
    }
    const [before, held] = [await out(treasury), await authorityHolds(treasury)];
    t.is(before.length, 3);

    for (const [product, verb, code] of PROVEN) {
      const path = `/api/${product}/${ids[product]}/${verb}`;
      const sender = treasury.addressOf(alice).text;
      t.like(await call('POST', path), { status: 401, body: { code: 'unauthenticated' } }, path);
      t.like(await call('POST', path, { sender, senderAddress: sender }), { status: 401 }, path);
      t.like(await call('POST', `${path}?x-user-address=${sender}`), { status: 401 }, path);
      // A browser sends another origin's page away before it may name anybody, and without a name nothing is drawn.
      const origin = 'https://elsewhere.example';
      const page = await fetch(`${url}${path}`, { method: 'POST', headers: { origin } });
      t.true([401, 403].includes(page.status), `${page.status}`);
      const asked = { origin, 'access-control-request-method': 'POST' };
      const headers = { ...asked, 'access-control-request-headers': 'x-user-address' };
      const preflight = await fetch(`${url}${path}`, { method: 'OPTIONS', headers });
      t.is(preflight.headers.get('access-control-allow-origin'), null);
      for (const other of [recipient, mallory]) {
        const naming = { address: treasury.addressOf(other).text };
        t.like(await call('POST', path, undefined, naming), { status: 403, body: { code } }, path);
      }
    }
    t.deepEqual(await out(treasury), before);
    t.is(await authorityHolds(treasury), held);

    // What the sender was given is as good as before.
    for (const [product, wcTransaction] of signed) {
      const path = `/api/${product}/${ids[product]}/pause`;
      const again = await call('POST', path, undefined, { address: treasury.addressOf(alice).text });
      t.deepEqual(again.body['wcTransaction'], wcTransaction, product);
    }
    t.like(await send(alice, signed.get('streams')), { status: 200 });
  },
);

onEmbeddedChain(
  'time witness › given a daemon that does not trust the header › a token is the proof',
  WHY,
  async (t) => {
    const treasury = await openTreasury(t);
    const { alice, mallory } = treasury.people;
    const ids = await openAll(treasury);
    const daemon = await startDaemon({
      app: { ...treasury.app, close: () => Promise.resolve() },
      port: 0,
      signals: null,
      trustAddressHeader: false,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    t.teardown(() => daemon.stop());
    const { call, logIn } = clientOf(daemon.url, { naming: 'given' });
    const [sender, stranger] = [await logIn(alice), await logIn(mallory)];
    const address = treasury.addressOf(alice).text;
    for (const [product, verb, code] of PROVEN.filter(([, verb]) => verb !== 'resume')) {
      const path = `/api/${product}/${ids[product]}/${verb}`;
      t.like(await call('POST', path, undefined, { address }), { status: 401 }, path);
      t.like(await call('POST', path, undefined, { token: stranger }), { status: 403, body: { code } }, path);
      const mixed = await call('POST', path, undefined, { token: stranger, address });
      t.like(mixed, { status: 401, body: { code: 'address_token_mismatch' } }, path);
      t.like(await call('POST', path, undefined, { token: sender }), { status: 200 }, path);
    }
  },
);

/** A funded stream of somebody's own, small enough to have nine of. */
const smallStream = async (treasury: Treasury, sender: Person): Promise<string> => {
  await treasury.give(sender, 1_000_000n);
  const recipient = treasury.addressOf(bob).text;
  const created = await treasury.ask(sender, 'streams.create', {
    ...terms,
    recipient,
    totalAmount: '0.0001',
  });
  const stream = handleOf(treasury, (created['stream'] as { id: string }).id);
  await stream.move(sender, 'funding');
  return stream.id;
};

onEmbeddedChain(
  'time witness › given nine small streams of one sender › four witnesses are out, and others still get theirs',
  WHY,
  async (t) => {
    const treasury = await openTreasury(t);
    const { alice, authority } = treasury.people;
    await treasury.give(authority, 150_000n);
    const ids: string[] = [];
    for (let count = 0; count < 9; count += 1) ids.push(await smallStream(treasury, alice));
    const other = await smallStream(treasury, dave);
    const { url, call, send } = await serve(t, treasury);
    const naming = { address: treasury.addressOf(alice).text };
    const pause = (id: string) => call('POST', `/api/streams/${id}/pause`, undefined, naming);

    const answers = await Promise.all(ids.map(pause));
    const drawn = answers.filter(({ status }) => status === 200);
    t.is(drawn.length, 4, JSON.stringify(answers.map(({ body }) => body['code'])));
    t.is((await out(treasury)).length, 4);
    for (const { status, body } of answers.filter((answer) => !drawn.includes(answer))) {
      t.is(status, 429);
      t.like(body, { code: 'too_many_witnesses', retryable: true });
      t.regex(String(body['error']), /broadcast .* or wait \d+ seconds/);
    }
    const refused = ids[answers.findIndex(({ status }) => status === 429)] ?? '';
    const response = await fetch(`${url}/api/streams/${refused}/pause`, {
      method: 'POST',
      headers: { 'x-user-address': naming.address },
    });
    const seconds = Number(response.headers.get('retry-after'));
    t.true(seconds > 0 && seconds <= 600, `${seconds}`);

    // Who has one gets the same again; another sender gets one; one that is used makes room at once.
    const held = ids[answers.findIndex(({ status }) => status === 200)] ?? '';
    t.deepEqual((await pause(held)).body['wcTransaction'], drawn[0]?.body['wcTransaction']);
    const daves = { address: treasury.addressOf(dave).text };
    t.like(await call('POST', `/api/streams/${other}/pause`, undefined, daves), { status: 200 });
    t.like(await send(alice, drawn[0]?.body['wcTransaction']), { status: 200 });
    t.like(await pause(refused), { status: 200 });

    // And so does time.
    const last = ids[answers.findLastIndex(({ status }) => status === 429)] ?? '';
    t.like(await pause(last), { status: 429 });
    await advance(treasury, 600);
    t.like(await pause(last), { status: 200 });
  },
);

onEmbeddedChain(
  'time witness › given a sender who asks for pause and cancel in turn › it ends, and what is out stays good',
  WHY,
  async (t) => {
    const treasury = await openTreasury(t);
    const { alice } = treasury.people;
    const stream = await fundStream(treasury);
    const { call, send } = await serve(t, treasury);
    const naming = { address: treasury.addressOf(alice).text };
    const ask = (verb: string) => call('POST', `/api/streams/${stream.id}/${verb}`, undefined, naming);
    const before = await authorityHolds(treasury);
    const answers: { status: number; body: Json }[] = [];
    for (let turn = 0; turn < 20; turn += 1) answers.push(await ask(turn % 2 === 0 ? 'pause' : 'cancel'));
    const refused = answers.find(({ status }) => status !== 200);
    t.like(refused, { status: 429, body: { code: 'too_many_witnesses' } });
    t.true(before - (await authorityHolds(treasury)) < 3_000n, 'what it cost the authority');
    const lastMove = answers.filter(({ status }) => status === 200).at(-1);
    t.like(await send(alice, lastMove?.body['wcTransaction']), { status: 200 });
  },
);
