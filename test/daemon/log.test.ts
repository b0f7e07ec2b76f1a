import test from 'ava';
import { createLog } from '../../src/daemon/log.js';

const capture = () => {
  const lines: string[] = [];
  return { lines, destination: { write: (line: string) => void lines.push(line) } };
};

test('the log › given a line › it is one JSON object with level, time and message', (t) => {
  const { lines, destination } = capture();
  createLog({ destination }).info({ requestId: 'r' }, 'hello');
  t.is(lines.length, 1);
  const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  t.regex(String(time), /^\d{4}-\d\d-\d\dT.*Z$/);
  t.deepEqual(rest, { level: 'info', requestId: 'r', msg: 'hello' });
});

test('the log › given an error › its message and stack are written', (t) => {
  const { lines, destination } = capture();
  createLog({ destination }).error({ err: new Error('broken') }, 'failed');
  const { err } = JSON.parse(lines[0] ?? '') as { err: { message: string; stack: string } };
  t.is(err.message, 'broken');
  t.regex(err.stack, /log\.test/);
});

test('the log › given a field that holds a secret › its value is hidden', (t) => {
  const { lines, destination } = capture();
  createLog({ destination }).info({ passphrase: 'swordfish', wallet: { wif: 'swordfish' } }, 'oops');
  t.false(lines.join('').includes('swordfish'));
});

test('the log › given the level warn › less is not written', (t) => {
  const { lines, destination } = capture();
  const log = createLog({ level: 'warn', destination });
  log.info({}, 'quiet');
  log.warn({}, 'loud');
  t.deepEqual(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['loud'],
  );
});

test('the log › given a level that is none › it is refused by name', (t) => {
  const error = t.throws(() => createLog({ level: 'chatty' }), { name: 'TreasuryError' });
  t.like(error, { code: 'invalid_setting', details: { setting: 'log level', value: 'chatty' } });
});

test('the log › given a line without anything to hide › it reads as one with something hidden does', (t) => {
  const { lines, destination } = capture();
  const log = createLog({ destination });
  log.info({ requestId: 'r', status: 200, caller: null, left: undefined }, 'hello');
  log.info({ requestId: 'r', status: 200, caller: null, left: undefined, secret: 'swordfish' }, 'hello');
  const withoutTime = lines.map((line) => line.replace(/"time":"[^"]+"/, '"time":""'));
  t.is(withoutTime[0], withoutTime[1]?.replace('"secret":"[hidden]",', ''));
  t.false(lines.join('').includes('swordfish'));
});
