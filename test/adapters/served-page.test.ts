import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { machine } from '../../src/adapters/machine.js';
import { servedPageOf } from '../../src/adapters/served-page.js';

const URL_OF_PAGE = 'http://127.0.0.1:4280';

const setUp = (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return { page: servedPageOf(folder), file: join(folder, 'served-page.json') };
};

test('the served page › none was kept › there is none', (t) => {
  t.is(setUp(t).page.url(), null);
});

test('the served page › one is kept › it is told while its process runs, for the owner alone', (t) => {
  const { page, file } = setUp(t);
  page.keep(URL_OF_PAGE);
  t.is(page.url(), URL_OF_PAGE);
  t.is(statSync(file).mode & 0o777, 0o600);
  page.keep('http://[::1]:9');
  t.is(page.url(), 'http://[::1]:9');
});

test('the served page › forgotten › the file is gone', (t) => {
  const { page, file } = setUp(t);
  page.keep(URL_OF_PAGE);
  page.forget();
  t.is(page.url(), null);
  t.false(existsSync(file));
  t.notThrows(page.forget);
});

test('the served page › its process was killed › it is believed no more', async (t) => {
  const { page, file } = setUp(t);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const by = { ...machine().self, pid: child.pid, startTicks: fields[19] };
  writeFileSync(file, JSON.stringify({ url: URL_OF_PAGE, by }));
  t.is(page.url(), URL_OF_PAGE);
  page.forget();
  t.true(existsSync(file), 'what another process keeps is its own');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  t.is(page.url(), null);
});

test('the served page › another process with the same pid › it is not believed', (t) => {
  const { page, file } = setUp(t);
  for (const other of [{ startTicks: '1' }, { bootId: 'another boot' }]) {
    writeFileSync(file, JSON.stringify({ url: URL_OF_PAGE, by: { ...machine().self, ...other } }));
    t.is(page.url(), null);
  }
});

test('the served page › what no daemon has written › there is none', (t) => {
  const { page, file } = setUp(t);
  const by = machine().self;
  const notes = [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    { url: URL_OF_PAGE },
    { by },
    { url: URL_OF_PAGE, by: {} },
    { url: URL_OF_PAGE, by: { ...by, pid: -1 } },
    { url: URL_OF_PAGE, by: { ...by, pid: '1' } },
    { url: URL_OF_PAGE, by: null },
    { url: 'https://evil.example', by },
    { url: 'http://127.0.0.1:1/\u001b[31m', by },
    { url: 'http://user@127.0.0.1:1', by },
    { url: 7, by },
  ];
  for (const note of notes) {
    writeFileSync(file, typeof note === 'string' ? note : JSON.stringify(note));
    t.is(page.url(), null, JSON.stringify(note));
  }
});
