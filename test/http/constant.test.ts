/** Operations that answer everybody the same: what they answer is written once, so it may hang on nothing. */
import test from 'ava';
import { z } from 'zod';
import { defineOperation } from '../../src/operation/define.js';
import { openTreasury } from '../treasury.js';
import { startFakeDaemon } from './fake-daemon.js';

test('a constant operation › of this program › is a GET that asks nobody, takes nothing, and touches nothing', async (t) => {
  const { app } = await openTreasury(t);
  const constants = app.operations.filter(({ isConstant }) => isConstant === true);
  t.deepEqual(constants.map(({ id }) => id).sort(), ['service.health', 'streams.templates']);
  const nothing = new Proxy(
    {},
    {
      get: (_target, name) => {
        throw new Error(`it reads ${String(name)}`);
      },
    },
  );
  for (const { auth, http, input, run } of constants) {
    t.is(auth, 'none');
    t.is(http?.method, 'GET');
    t.deepEqual(Object.keys((input as z.ZodObject).shape), []);
    t.deepEqual(await run({}, nothing), await run({}, nothing));
  }
});

/** A constant operation that counts how often it is worked out, and the same without the word. */
const twins = () => {
  const runs = { constant: 0, plain: 0 };
  const define = (name: keyof typeof runs) =>
    defineOperation({
      id: `twins.${name}`,
      summary: 'Say a word',
      http: { method: 'GET', path: `/api/twins/${name}`, headers: { 'Cache-Control': 'max-age=5' } },
      auth: 'none',
      input: z.object({}),
      output: z.object({ word: z.string() }),
      errors: [],
      ...(name === 'constant' ? { isConstant: true as const } : {}),
      run: () => {
        runs[name] += 1;
        return Promise.resolve({ word: 'hello' });
      },
    });
  return { runs, operations: [define('constant'), define('plain')] };
};

test('a constant operation › asked again and again › it is worked out once, and answers as any other does', async (t) => {
  const { runs, operations } = twins();
  const { ask } = await startFakeDaemon(t, {}, operations);
  const headers = { 'x-request-id': 'same' };
  const answer = async (path: string) => {
    const { status, text, headers: answered } = await ask(path, { headers });
    const { date: _, ...others } = answered;
    return { status, text, headers: others };
  };
  const first = await answer('/api/twins/constant');
  t.deepEqual(await answer('/api/twins/constant'), first);
  t.deepEqual(await answer('/api/twins/plain'), first);
  t.is(first.text, '{"success":true,"word":"hello"}');
  t.is(runs.constant, 1);
});

test('a constant operation › given a field that it does not know › it warns of it, and others are not warned', async (t) => {
  const { operations } = twins();
  const { ask } = await startFakeDaemon(t, {}, operations);
  for (const name of ['constant', 'plain']) {
    const { body } = await ask(`/api/twins/${name}?colour=red`);
    t.deepEqual(body['warnings'], [`colour is not a field of twins.${name}: it was ignored`]);
    t.is((await ask(`/api/twins/${name}`)).body['warnings'], undefined);
  }
});
