/** An app of a few small operations, for tests of the faces. */
import { onMachine } from '../../src/adapters/machine.js';
import { EventEmitter, once } from 'node:events';
import { z } from 'zod';
import type { App } from '../../src/app.js';
import { noMeters } from '../../src/operation/ports/meters.js';
import { addressOfHash } from '../../src/bch/address.js';
import { AddressField, Hex32, Title, TokenTypeField, Units } from '../../src/bch/fields.js';
import { TreasuryError } from '../../src/errors.js';
import { commitAnswer } from '../../src/operation/commit-answer.js';
import type { Context, Log } from '../../src/operation/context.js';
import { defineOperation, type AnyOperation } from '../../src/operation/define.js';
import { defineCollection } from '../../src/operation/ports/store.js';
import { memoryStore } from './memory-store.js';

export const alice = addressOfHash(new Uint8Array(20).fill(1), 'local').text;
export const bob = addressOfHash(new Uint8Array(20).fill(2), 'local').text;
export const aliceToken = 'token-of-alice';
export const bobToken = 'token-of-bob';

/** One line of the log. */
export type LogLine = { readonly level: string; readonly message: string } & Record<string, unknown>;

/** A log that keeps its lines. */
export const recordLog = (): Log & { readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) => {
    lines.push({ ...fields, level, message });
  };
  return { lines, info: write('info'), warn: write('warn'), error: write('error') };
};

const Thing = z.object({ id: Hex32, title: Title, owner: z.string(), units: Units });
export const thingCollection = defineCollection({ name: 'things', schema: Thing, indexes: {} });

const echoInput = z.object({
  id: z.string(),
  recipientAddress: z.string().optional(),
  count: z.int().optional(),
  deep: z.boolean().optional(),
  title: z.string().optional(),
});

/** What the operations of the fake app wait for and tell. */
export type FakeControls = {
  /** How often `things.create` ran. */
  created: number;
  /** Emits `entered` when a slow operation has begun, and lets it go on at `proceed`. */
  readonly gate: EventEmitter;
  isClosed: boolean;
  /** Wall clock, unix seconds. */
  wall: number;
};

const echo = defineOperation({
  id: 'things.echo',
  summary: 'Answer what was understood',
  http: { method: 'POST', path: '/api/things/:id/echo' },
  auth: 'none',
  input: echoInput,
  output: z.object({ input: echoInput }),
  errors: [],
  aliases: { recipient: 'recipientAddress' },
  run: (input) => Promise.resolve({ input }),
});

const show = defineOperation({
  id: 'things.show',
  summary: 'Show a thing',
  http: { method: 'GET', path: '/api/things/:id' },
  auth: 'optional',
  input: echoInput,
  output: z.object({ input: echoInput, caller: z.string().nullable() }),
  errors: ['reward_not_found'],
  aliases: { recipient: 'recipientAddress' },
  run: (input, { caller }) => {
    if (input.id === 'none') throw new TreasuryError('reward_not_found', { id: input.id });
    return Promise.resolve({ input, caller: caller?.text ?? null });
  },
});

const newest = defineOperation({
  id: 'things.newest',
  summary: 'The newest thing, cached',
  http: { method: 'GET', path: '/api/things/newest', headers: { 'Cache-Control': 'public, max-age=10' } },
  auth: 'none',
  input: z.object({}),
  output: z.object({ newest: z.boolean() }),
  errors: [],
  run: () => Promise.resolve({ newest: true }),
});

const pay = defineOperation({
  id: 'things.pay',
  summary: 'Something that only a caller may do',
  http: { method: 'POST', path: '/api/things/:id/pay' },
  auth: 'address',
  input: z.object({ id: z.string(), to: AddressField, tokenType: TokenTypeField }),
  output: z.object({ caller: AddressField, to: AddressField }),
  errors: [],
  run: (input, { caller }) => Promise.resolve({ caller, to: input.to }),
});

const prove = defineOperation({
  id: 'things.prove',
  summary: 'Something that only a proven caller may do',
  http: { method: 'DELETE', path: '/api/things/:id' },
  auth: 'bearer',
  input: z.object({ id: z.string() }),
  output: z.object({ caller: AddressField }),
  errors: [],
  run: (_input, { caller }) => Promise.resolve({ caller }),
});

const fail = defineOperation({
  id: 'things.fail',
  summary: 'Fail in one way or another',
  http: { method: 'POST', path: '/api/fail' },
  auth: 'none',
  input: z.object({ how: z.enum(['defect', 'damaged', 'away', 'full', 'preparation']) }),
  output: z.object({ success: z.boolean() }),
  errors: ['store_damaged', 'store_unreachable', 'storage_full'],
  run: ({ how }, { log }) => {
    log.info({}, 'about to fail');
    if (how === 'defect') throw new Error('the password is swordfish');
    if (how === 'preparation') return Promise.resolve({ success: false });
    if (how === 'away')
      throw new TreasuryError('store_unreachable', {
        database: 'postgres://secret-db.internal:5432/treasury',
        reason: 'connect ECONNREFUSED secret-db.internal',
      });
    if (how === 'full') throw new TreasuryError('storage_full', { file: '/secret/store', reason: 'ENOSPC' });
    throw new TreasuryError('store_damaged', { file: '/secret/store', where: 'line 1', remedy: 'none' });
  },
});

const createThing = (controls: FakeControls) => {
  let things = 0;
  return defineOperation({
    id: 'things.create',
    summary: 'Create a thing',
    http: { method: 'POST', path: '/api/things', status: 201, creates: true },
    auth: 'address',
    input: z.object({ title: Title, slow: z.boolean().optional(), mode: z.string().optional() }),
    output: z.object({ success: z.boolean().optional(), thing: Thing.optional() }),
    errors: ['wrong_state'],
    run: async ({ title, slow, mode }, context) => {
      controls.created += 1;
      if (slow === true) {
        const proceed = once(controls.gate, 'proceed');
        controls.gate.emit('entered');
        await proceed;
      }
      if (mode === 'refuse') {
        throw new TreasuryError('wrong_state', { label: 'it', status: 'PAUSED', allowed: 'ACTIVE' });
      }
      if (mode === 'prepare') return { success: false };
      things += 1;
      const thing = {
        id: things.toString(16).padStart(64, '0'),
        title,
        owner: context.caller.text,
        units: 7n,
      };
      return commitAnswer(
        context,
        (writer) => {
          writer.put(thingCollection, thing);
        },
        () => ({ thing }),
      );
    },
  });
};

const waitThing = (controls: FakeControls) =>
  defineOperation({
    id: 'things.wait',
    summary: 'Answer when told to',
    http: { method: 'GET', path: '/api/wait' },
    auth: 'none',
    input: z.object({}),
    output: z.object({ waited: z.boolean() }),
    errors: [],
    run: async () => {
      const proceed = once(controls.gate, 'proceed');
      controls.gate.emit('entered');
      await proceed;
      return { waited: true };
    },
  });

const subjects: Readonly<Record<string, string>> = { [aliceToken]: alice, [bobToken]: bob };

const access: Context['access'] = {
  issue: () => Promise.reject(new Error('not here')),
  verify: (token) => {
    const subject = subjects[token];
    if (token === 'expired') return Promise.reject(new TreasuryError('token_expired'));
    if (subject === undefined) {
      return Promise.reject(new TreasuryError('invalid_token', { reason: 'not ours' }));
    }
    return Promise.resolve(subject);
  },
  challenge: () => Promise.reject(new Error('not here')),
  checkChallenge: () => Promise.reject(new Error('not here')),
  revokeAll: () => Promise.resolve(),
};

/** The fake app, and what steers it. */
export const fakeApp = (
  moreOperations: readonly AnyOperation[] = [],
  meters: Context['meters'] = noMeters,
): { readonly app: App; readonly controls: FakeControls } => {
  const controls: FakeControls = {
    created: 0,
    gate: new EventEmitter(),
    isClosed: false,
    wall: 1_700_000_000,
  };
  let ids = 0;
  const unused = {} as never;
  const context: Context = {
    network: 'local',
    home: '/nowhere',
    program: { name: 'treasury', version: '9.9.9' },
    store: memoryStore(),
    chain: unused,
    localChain: null,
    keys: unused,
    access,
    price: unused,
    probes: unused,
    meters,
    messenger: unused,
    ...onMachine,
    covenants: { at: () => Promise.resolve(null) },
    clock: { now: () => controls.wall, wall: () => controls.wall },
    random: (length) => new Uint8Array(length),
    uuid: () => `uuid-${(ids += 1)}`,
    log: recordLog(),
  };
  const operations = [
    show,
    newest,
    echo,
    pay,
    prove,
    fail,
    createThing(controls),
    waitThing(controls),
    ...moreOperations,
  ];
  const close = (): Promise<void> => {
    controls.isClosed = true;
    return Promise.resolve();
  };
  return { app: { context, operations, deployables: [], close }, controls };
};
