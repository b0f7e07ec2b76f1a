import test from 'ava';
import { z } from 'zod';
import { products } from '../../src/products/index.js';
import { homeNouns, service } from '../../src/home/index.js';
import { operationsOf, defineOperation, type View } from '../../src/operation/define.js';
import { tokenCollection } from '../../src/record/assets.js';
import { commitAnswer } from '../../src/operation/commit-answer.js';
import { alice } from './fake-app.js';
import { startFakeDaemon } from './fake-daemon.js';

const BLOCKS = { 'x-treasury-view': 'blocks' };
const CATEGORY = 'ab'.repeat(32);

/** What a stranger has written as if it were an amount of the program's. */
const OF_A_STRANGER = `1.5 units of ${CATEGORY}, and 3 ${CATEGORY}`;

const seen = defineOperation({
  id: 'shown.see',
  summary: 'A reply with every kind of block',
  http: { method: 'GET', path: '/api/shown' },
  auth: 'none',
  input: z.object({ how: z.enum(['well', 'badly', 'strangely']).default('well') }),
  output: z.object({ how: z.string(), amount: z.string() }),
  errors: [],
  run: ({ how }) => Promise.resolve({ how, amount: `1250 units of ${CATEGORY}` }),
  view: ({ how, amount }): View => {
    if (how === 'badly') throw new Error('a defect');
    if (how === 'strangely')
      return [
        { kind: 'text', text: OF_A_STRANGER, from: 'others' },
        { kind: 'facts', rows: [['Own note', `1.5 units of ${CATEGORY}`]] },
      ];
    return [
      { kind: 'text', text: how },
      { kind: 'drawing', draw: () => 'a picture' },
      { kind: 'facts', rows: [['Amount', amount]] },
      { kind: 'table', head: ['Name', { title: 'Sum', kind: 'amount', rank: 0 }], rows: [['a', '1']] },
      { kind: 'next', command: 'shown see', why: 'to see it again' },
    ];
  },
});

const constant = defineOperation({
  id: 'shown.constant',
  summary: 'The same for everybody',
  http: { method: 'GET', path: '/api/shown/constant' },
  auth: 'none',
  isConstant: true,
  input: z.object({}),
  output: z.object({ word: z.string() }),
  errors: [],
  run: () => Promise.resolve({ word: 'always' }),
  view: ({ word }): View => [{ kind: 'text', text: word }],
});

const counted = { made: 0 };

/** Makes something; `late`: its answer is kept after the commit, as of what makes nothing in the store. */
const create = defineOperation({
  id: 'shown.create',
  summary: 'Make something that can be shown',
  http: { method: 'POST', path: '/api/shown', status: 201, creates: true },
  auth: 'address',
  input: z.object({ late: z.boolean().default(false), badly: z.boolean().default(false) }),
  output: z.object({ number: z.number(), badly: z.boolean() }),
  errors: [],
  run: async ({ late, badly }, context) => {
    counted.made += 1;
    const reply = { number: counted.made, badly };
    return late
      ? reply
      : commitAnswer(
          context,
          () => undefined,
          () => reply,
        );
  },
  view: ({ number, badly }): View => {
    if (badly) throw new Error('a defect');
    return [{ kind: 'text', text: `number ${number}` }];
  },
});

/** Puts the token of {@link CATEGORY} into the registry. */
const register = defineOperation({
  id: 'shown.register',
  summary: 'Register a token',
  http: { method: 'POST', path: '/api/shown/register' },
  auth: 'none',
  input: z.object({}),
  output: z.object({}),
  errors: [],
  run: (_input, { store }) =>
    store.transaction((writer) => {
      const token = { id: CATEGORY, symbol: 'GEMS', name: 'Gems', decimals: 2, created_at: 1 };
      writer.put(tokenCollection, { ...token, source: 'added' });
      return {};
    }),
});

const MORE = [seen, constant, create, register];

test('x-treasury-view › blocks › the view beside the data, columns whole and without drawings', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, MORE);
  const { status, body } = await ask('/api/shown', { headers: BLOCKS });
  t.is(status, 200);
  t.deepEqual(body, {
    success: true,
    how: 'well',
    amount: `1250 units of ${CATEGORY}`,
    view: [
      { kind: 'text', text: 'well' },
      { kind: 'facts', rows: [['Amount', `1250 units of ${CATEGORY}`]] },
      {
        kind: 'table',
        head: [
          { title: 'Name', kind: 'text', rank: 0 },
          { title: 'Sum', kind: 'amount', rank: 0 },
        ],
        rows: [['a', '1']],
      },
      { kind: 'next', command: 'shown see', why: 'to see it again' },
    ],
  });
});

test('x-treasury-view › a token of the registry › its symbol, as everybody is told it', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, MORE);
  await ask('/api/shown/register', { json: {} });
  const { body } = await ask('/api/shown', { headers: BLOCKS });
  t.is(body['amount'], `1250 units of ${CATEGORY}`);
  t.deepEqual((body['view'] as unknown[])[1], { kind: 'facts', rows: [['Amount', '12.5 GEMS']] });
});

test('x-treasury-view › words of a stranger that look like an amount › they are shown as they are', async (t) => {
  const { ask, lines } = await startFakeDaemon(t, {}, MORE);
  await ask('/api/shown/register', { json: {} });
  const { body } = await ask('/api/shown?how=strangely', { headers: BLOCKS });
  t.deepEqual(body['view'], [
    { kind: 'text', text: OF_A_STRANGER, from: 'others' },
    { kind: 'facts', rows: [['Own note', `1.5 units of ${CATEGORY}`]] },
  ]);
  t.false(lines.some(({ message }) => message.includes('could not be shown')));
});

test('x-treasury-view › none › the answer is what it ever was', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, MORE);
  const plain = await ask('/api/shown');
  t.is(plain.text, JSON.stringify({ success: true, how: 'well', amount: `1250 units of ${CATEGORY}` }));
  const { view, ...data } = (await ask('/api/shown', { headers: BLOCKS })).body;
  t.truthy(view);
  t.deepEqual(data, plain.body);
});

test('x-treasury-view › an operation without a view › its data alone', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, MORE);
  const { status, body } = await ask('/api/things/7', { headers: BLOCKS });
  t.is(status, 200);
  t.false('view' in body);
});

test.serial('x-treasury-view › another value › 400 in words, and nothing is done', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, MORE);
  const made = counted.made;
  for (const value of ['html', 'BLOCKS', 'blocks, blocks', '', 'x'.repeat(5_000)]) {
    const headers = { 'x-treasury-view': value, 'x-user-address': alice };
    const { status, body } = await ask('/api/shown', { json: {}, headers });
    t.is(status, 400, value.slice(0, 20));
    t.is(body['code'], 'invalid_request');
    t.regex(String(body['error']), /x-treasury-view .*expected blocks/);
    t.true(String(body['error']).length < 400);
  }
  t.is(counted.made, made);
});

test('x-treasury-view › a constant answer › whoever asks first, each gets what they ask for', async (t) => {
  for (const order of [
    [BLOCKS, {}],
    [{}, BLOCKS],
  ]) {
    const { ask } = await startFakeDaemon(t, {}, MORE);
    for (const headers of [...order, ...order]) {
      const { body } = await ask('/api/shown/constant', { headers });
      t.is('view' in body, 'x-treasury-view' in headers);
    }
  }
});

for (const late of [false, true]) {
  const when = late ? 'after the commit' : 'in the commit';
  test(`x-treasury-view › a repetition, its answer kept ${when} › shown to who asks, to nobody else`, async (t) => {
    const { ask } = await startFakeDaemon(t, {}, MORE);
    for (const first of [BLOCKS, {}]) {
      const key = `${when}-${Object.keys(first).length}`.replaceAll(' ', '-');
      const post = (more: object) =>
        ask('/api/shown', {
          json: { late },
          headers: { 'x-user-address': alice, 'idempotency-key': key, ...more },
        });
      const answers = [await post(first), await post({}), await post(BLOCKS)];
      const [made = 0] = answers.map(({ body }) => body['number'] as number);
      for (const { status, body } of answers) {
        t.is(status, 201);
        t.is(body['number'], made);
      }
      t.is('view' in (answers[0]?.body ?? {}), first === BLOCKS);
      t.false('view' in (answers[1]?.body ?? {}));
      t.deepEqual(answers[2]?.body['view'], [{ kind: 'text', text: `number ${made}` }]);
      t.is(answers[2]?.headers['idempotent-replayed'], 'true');
    }
  });
}

test('x-treasury-view › a view that fails › what was done is answered, and the log says it', async (t) => {
  const { ask, lines } = await startFakeDaemon(t, {}, MORE);
  const { status, body } = await ask('/api/shown', {
    json: { badly: true },
    headers: { 'x-user-address': alice, ...BLOCKS },
  });
  t.is(status, 201);
  t.false('view' in body);
  t.true(lines.some(({ level, message }) => level === 'error' && /could not be shown/.test(message)));
});

test('x-treasury-view › another origin that may call › may ask for it', async (t) => {
  const origin = 'https://app.example';
  const { ask } = await startFakeDaemon(t, { corsOrigins: [origin] }, MORE);
  const { headers } = await ask('/api/shown', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  });
  t.regex(String(headers['access-control-allow-headers']), /x-treasury-view/);
});

test('the document › every route of JSON › has the header', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, MORE);
  const { body } = await ask('/api/openapi.json');
  const { paths, components } = body as unknown as {
    paths: Record<string, Record<string, { parameters?: { $ref?: string }[] }>>;
    components: { parameters: Record<string, unknown> };
  };
  for (const [path, method] of [
    ['/api/shown/constant', 'get'],
    ['/api/things/{id}', 'delete'],
    ['/api/shown', 'post'],
  ] as const)
    t.true(
      paths[path]?.[method]?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/View'),
      path,
    );
  t.like(components.parameters['View'], { name: 'x-treasury-view', in: 'header', required: false });
});

test('every operation › its answer › has no field of the view’s name', async (t) => {
  const loaded = await Promise.all([...products, ...homeNouns, service].map((noun) => noun.load()));
  const operations = operationsOf(loaded.flatMap(({ operations: offers }) => offers));
  t.true(operations.length > 100);
  for (const { id, output } of operations) {
    const { properties = {} } = z.toJSONSchema(output, { io: 'input', unrepresentable: 'any' });
    t.false('view' in properties, id);
  }
});
