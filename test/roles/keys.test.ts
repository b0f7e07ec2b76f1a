/** Least privilege of keys, by trying: the table of keys in SECURITY.md is what every route answers, however it is asked. */
import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { comings, COMINGS, type Coming, type Passage } from '../../scripts/key-roles.js';
import type { AnyOperation } from '../../src/operation/define.js';
import { fieldNames } from '../../src/operation/read-input.js';
import { permissionOf, RECORD_FIELDS } from '../../src/operation/script-keys/scope.js';
import {
  hashOfKey,
  newKeyText,
  scriptKeyCollection,
  shownOf,
  type ScriptKeyRecord,
} from '../../src/operation/script-keys/script-key.js';
import { serve, type Json, type Naming } from '../acceptance/client.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { createEveryRecord, PLAYERS } from './every-record.js';
import { ENDINGS, fieldsFor, ofOperation, SECURITY } from './role-table.js';

/** Answers of the questions that the table is about; every other code comes after them. */
const ASKED_BEFORE = [
  'unauthenticated',
  'invalid_token',
  'token_expired',
  'invalid_key',
  'key_expired',
  'key_revoked',
  'key_required',
  'key_not_allowed',
];

/** The rows of the table as the document has them. */
const tableOf = (document: string): ReadonlyMap<string, readonly string[]> => {
  const [, table = ''] = /<!-- begin: keys -->([\s\S]*?)<!-- end: keys -->/.exec(document) ?? [];
  const cells = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(cells.slice(2).map(([operation = '', ...row]) => [operation.replaceAll('`', ''), row]));
};

/** Puts a key in the store as `keys create` does: what it may do is allowed here without a question, to try all of it. */
const putKey = async (
  { app }: Treasury,
  address: string,
  terms: Partial<ScriptKeyRecord>,
): Promise<string> => {
  const { context } = app;
  const text = newKeyText(context.random);
  const now = context.clock.wall();
  const key: ScriptKeyRecord = {
    id: context.uuid(),
    label: '#KEY-0009',
    name: 'tried',
    address,
    hash: hashOfKey(text),
    ...shownOf(text),
    allow: [],
    records: null,
    maximums: [],
    networks: [],
    expires_at: now + 1_000,
    created_at: now,
    revoked_at: null,
    last_used_at: now,
    last_refused_at: now,
    ...terms,
  };
  await context.store.transaction((writer) => {
    writer.put(scriptKeyCollection, key);
  });
  return text;
};

/** What the keys of the table are beside allowing the operation. */
const termsOf = (
  operation: AnyOperation,
  input: Json,
  { now, tokenCategory }: { readonly now: number; readonly tokenCategory: string },
): Readonly<Partial<Record<Coming, Partial<ScriptKeyRecord>>>> => {
  const allow = [permissionOf(operation)];
  const whole = { decimals: 0, amount: 10n ** 18n, seconds: 1_000 };
  const named = fieldNames(operation)
    .filter((field) => RECORD_FIELDS.includes(field) && typeof input[field] === 'string')
    .map((field) => ({ id: String(input[field]), name: String(input[field]) }));
  return {
    allowed: { allow },
    notAllowed: { allow: ['nothing:at-all'] },
    itsRecord: { allow, records: [...named, { id: 'none', name: 'NONE-0001' }] },
    otherRecord: { allow, records: [{ id: 'none', name: 'NONE-0001' }] },
    maximum: {
      allow,
      maximums: [
        { category: null, symbol: 'BCH', ...whole },
        { category: tokenCategory, symbol: 'GEMS', ...whole },
      ],
    },
    otherNetwork: { allow, networks: ['203.0.113.0/24'] },
    expired: { allow, expires_at: now },
    revoked: { allow, revoked_at: now },
    requiredKey: { allow },
  };
};

/** Asks everything in every way; what each was answered, by operation. */
const askEverything = async (t: ExecutionContext): Promise<ReadonlyMap<string, Record<Coming, Passage>>> => {
  const treasury = await openTreasury(t);
  const records = await createEveryRecord(treasury);
  const given = { naming: 'given', trustAddressHeader: false } as const;
  const strict = await serve(t, treasury, given);
  const trusting = await serve(t, treasury, { ...given, trustAddressHeader: true });
  const requiring = await serve(t, treasury, { ...given, trustAddressHeader: true, requireKeys: true });
  const { text: address } = treasury.addressOf(PLAYERS.creator);
  const token = await strict.logIn(PLAYERS.creator);
  const now = treasury.app.context.clock.wall();

  const ask = async (operation: AnyOperation, coming: Coming): Promise<Passage> => {
    const { method = 'GET', path = '' } = operation.http ?? {};
    const [noun = ''] = operation.id.split('.');
    const input = ofOperation(operation, fieldsFor(treasury, records, noun, address));
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const target = path.replaceAll(/:(\w+)/g, (_all, name: string) =>
      encodeURIComponent(String(input[name])),
    );
    const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)));
    const query = Object.entries(rest).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    const isGet = method === 'GET';
    const terms = termsOf(operation, input, { now, tokenCategory: records.tokenCategory })[coming];
    const naming: Naming =
      terms !== undefined
        ? { token: await putKey(treasury, address, terms) }
        : coming === 'nobody'
          ? {}
          : coming === 'headerTrusted' || coming === 'headerUntrusted'
            ? { address }
            : { token };
    const server = coming === 'headerTrusted' ? trusting : coming.startsWith('required') ? requiring : strict;
    const url = isGet ? `${target}?${new URLSearchParams(query).toString()}` : target;
    const { status, body } = await server.call(method, url, isGet ? undefined : rest, naming);
    if (!ASKED_BEFORE.includes(String(body['code']))) return 'yes';
    if (status !== 401 && status !== 403) throw new Error(`${operation.id}: ${status}`);
    return status === 401 ? '401' : '403';
  };

  const routed = treasury.app.operations.filter(({ http }) => http !== undefined);
  const inOrder = [
    ...routed.filter(({ id }) => !ENDINGS.includes(id)),
    ...routed.filter(({ id }) => ENDINGS.includes(id)),
  ];
  const answers = new Map<string, Record<Coming, Passage>>();
  for (const operation of inOrder) {
    const row: Partial<Record<Coming, Passage>> = {};
    for (const coming of comings) row[coming] = await ask(operation, coming);
    answers.set(operation.id, row as Record<Coming, Passage>);
  }
  return answers;
};

test('keys › every operation asked in every way › SECURITY.md says what each is answered (else run `npm run docs`)', async (t) => {
  const answers = await askEverything(t);
  const table = tableOf(readFileSync(SECURITY, 'utf8'));
  t.deepEqual([...table.keys()].sort(), [...answers.keys()].sort());
  for (const [operation, row] of answers) {
    const expected = table.get(operation) ?? [];
    for (const [index, coming] of comings.entries())
      t.is(row[coming], expected[index] as Passage, `${operation}, ${COMINGS[coming]}`);
    // What the table must never say, whatever is declared.
    if (/^(?:keys|auth)\./.test(operation)) t.is(row.allowed, '403', operation);
    if (row.nobody === '401') t.is(row.requiredToken, '401', operation);
    if (row.notAllowed === 'yes') t.regex(operation, /^(?:service|status)\./);
  }
});
