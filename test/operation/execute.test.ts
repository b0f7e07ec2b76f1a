import test from 'ava';
import { z } from 'zod';
import { AddressField, AmountField, Units } from '../../src/bch/fields.js';
import { TreasuryError } from '../../src/errors.js';
import type { Credentials } from '../../src/operation/auth.js';
import { defineOperation } from '../../src/operation/define.js';
import { execute } from '../../src/operation/execute.js';
import { alice, bob, fakeContext } from './fake-context.js';

const operator: Credentials = { kind: 'operator', address: alice };
const anonymous: Credentials = { kind: 'http', trustAddressHeader: true };

const output = z.object({
  to: AddressField,
  units: Units,
  nested: z.object({ name: z.string() }),
  maybe: z.string().optional(),
});

const reply = { to: bob, units: 2n ** 63n - 1n, nested: { name: 'pool', secret: 'x' }, secret: 'x' };

const pay = defineOperation({
  id: 'things.pay',
  summary: 'Pay somebody',
  auth: 'bearer',
  input: z.object({ to: AddressField, amount: AmountField }),
  output,
  errors: ['reward_not_found'],
  aliases: { recipient: 'to' },
  run: () => Promise.resolve(reply),
});

const input = { to: bob.text, amount: '1' };

test('execute › given a reply › it is encoded and stripped of what the output does not declare', async (t) => {
  t.deepEqual(await execute(pay, input, fakeContext(), operator), {
    to: bob.text,
    units: '9223372036854775807',
    nested: { name: 'pool' },
  });
});

test('execute › given unknown fields › each has a warning beside the reply', async (t) => {
  const { warnings } = await execute(pay, { ...input, memo: 'x', tip: 1 }, fakeContext(), operator);
  t.deepEqual(warnings, [
    'memo is not a field of things.pay: it was ignored',
    'tip is not a field of things.pay: it was ignored',
  ]);
});

test('execute › given no credentials and a bad request › it is unauthenticated', async (t) => {
  const error = await t.throwsAsync(execute(pay, { amount: 'x' }, fakeContext(), anonymous), {
    instanceOf: TreasuryError,
  });
  t.is(error.code, 'unauthenticated');
});

test('execute › given credentials and a bad request › it is invalid_input', async (t) => {
  const error = await t.throwsAsync(execute(pay, { amount: 'x' }, fakeContext(), operator), {
    instanceOf: TreasuryError,
  });
  t.is(error.code, 'invalid_input');
});

test('execute › given a bad request › the operation does not run', async (t) => {
  let runs = 0;
  const counted = {
    ...pay,
    run: () => {
      runs += 1;
      return Promise.resolve(reply);
    },
  };
  await t.throwsAsync(execute(counted, {}, fakeContext(), operator));
  await t.throwsAsync(execute(counted, input, fakeContext(), anonymous));
  t.is(runs, 0);
});

test('execute › given a request › the store takes in what others committed before anything is read', async (t) => {
  const order: string[] = [];
  const { store, access } = fakeContext();
  const context = fakeContext({
    store: {
      ...store,
      refresh: () => {
        order.push('refresh');
        return Promise.resolve();
      },
    },
    access: {
      ...access,
      verify: () => {
        order.push('verify');
        return Promise.resolve(alice.text);
      },
    },
  });
  const operation = {
    ...pay,
    run: () => {
      order.push('run');
      return Promise.resolve(reply);
    },
  };
  await execute(operation, input, context, { ...anonymous, authorization: 'Bearer x' });
  t.deepEqual(order, ['refresh', 'verify', 'run']);
});

test('execute › given an alias › the operation gets the decoded field and the caller', async (t) => {
  let got: unknown;
  const operation = {
    ...pay,
    run: (decoded: unknown, { caller }: { caller: unknown }) => {
      got = { decoded, caller };
      return Promise.resolve(reply);
    },
  };
  await execute(operation, { recipient: bob.tokenText, amount: 0.1 }, fakeContext(), operator);
  t.deepEqual(got, { decoded: { to: bob, amount: { decimal: '0.1', isNumber: true } }, caller: alice });
});

test('execute › given an error of the operation › it comes through as it is', async (t) => {
  const thrown = new TreasuryError('reward_not_found', { id: 'x' });
  const operation = { ...pay, run: () => Promise.reject(thrown) };
  t.is(await t.throwsAsync(execute(operation, input, fakeContext(), operator)), thrown);
});

test('execute › given a reply that is not what the output declares › it is a defect, and no half reply', async (t) => {
  const operation = { ...pay, run: () => Promise.resolve({ ...reply, units: -1n }) };
  const error = await t.throwsAsync(execute(operation, input, fakeContext(), operator));
  t.false(error instanceof TreasuryError);
});

const disagreeing = (method: 'GET' | 'POST', times: number) => {
  let runs = 0;
  const operation = defineOperation({
    id: 'things.look',
    summary: 'Look at something',
    http: { method, path: '/api/things' },
    auth: 'none',
    input: z.object({}),
    output: z.object({ runs: z.number() }),
    errors: ['server_disagrees'],
    run: () => {
      runs += 1;
      if (runs <= times) throw new TreasuryError('server_disagrees', { reason: 'a hides what b proves' });
      return Promise.resolve({ runs });
    },
  });
  return operation;
};

test('execute › given servers that disagree once › what only reads goes on', async (t) => {
  t.deepEqual(await execute(disagreeing('GET', 1), {}, fakeContext(), operator), { runs: 2 });
  await t.throwsAsync(execute(disagreeing('GET', 2), {}, fakeContext(), operator), {
    code: 'server_disagrees',
  });
});

test('execute › given servers that disagree › a move says so', async (t) => {
  await t.throwsAsync(execute(disagreeing('POST', 1), {}, fakeContext(), operator), {
    code: 'server_disagrees',
  });
});
