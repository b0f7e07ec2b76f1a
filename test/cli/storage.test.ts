/**
 * The real program on disks that refuse: a small one that is full, one that is mounted read-only, and too few open
 * files. The disks are mounts in a namespace of their own; where the system has none for this user, they are skipped.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import anyTest, { type ExecutionContext } from 'ava';
import { bob } from '../../fixtures/people.js';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));
const MOUNT = 'mount -t tmpfs -o size=2m tmpfs "$HOME"';
const canMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', MOUNT], { env: { ...process.env, HOME: tmpdir() } }).status === 0;
const mounted = canMount ? anyTest : anyTest.skip;

type Step = { readonly exit: number; readonly said: string };

/**
 * Runs a script of the shell on a home of its own, with `step <name> <command...>`, which notes the exit code and all
 * that the command said, and `treasury`.
 */
const play = async (
  t: ExecutionContext,
  script: string,
  prefix: readonly string[] = [],
): Promise<Record<string, Step>> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  const notes = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    for (const folder of [home, notes]) rmSync(folder, { recursive: true, force: true });
  });
  const head = `treasury() { "$NODE" "$BIN" "$@" </dev/null; }
    step() { name=$1; shift; said=$("$@" 2>&1); printf '%s\\t%s\\t%s\\0' "$name" "$?" "$said"; }
    fill() { cat /dev/zero > "$HOME/filler" 2>/dev/null; for n in 1 2 3; do cat /dev/zero > "$HOME/filler$n" 2>/dev/null; done; }`;
  const [command, ...args] = [...prefix, 'sh', '-c', `${head}\n${script}`];
  const { PATH, NODE_OPTIONS } = process.env;
  const env = {
    PATH,
    NODE_OPTIONS,
    HOME: home,
    TREASURY_HOME: join(home, 'data'),
    NODE: process.execPath,
    BIN,
    BOB: bob.address('local').text,
  };
  const { stdout } = await promisify(execFile)(command, args, { env, cwd: notes, encoding: 'utf8' });
  return Object.fromEntries<Step>(
    stdout
      .split('\0')
      .slice(0, -1)
      .map((line) => {
        const [name = '', exit, ...said] = line.split('\t');
        return [name, { exit: Number(exit), said: said.join('\t') }] as const;
      }),
  );
};

/** Refused in one line (and perhaps a second that says what to do), with the exit code of what this stands on. */
const refusedWith = (t: ExecutionContext, step: Step | undefined, pattern: RegExp): void => {
  // What is read-only stays it: nobody need try again.
  t.is(step?.exit, pattern === READ_ONLY ? 5 : 7, step?.said);
  t.regex(step?.said ?? '', pattern);
  t.true((step?.said.split('\n').length ?? 0) <= 2, step?.said);
};

const FULL = /^Error: There is no room for .*: nothing was stored\. Make room, then try again\./;
const READ_ONLY = /^Error: .* cannot be written \(EROFS\): nothing was stored\./;
const FEW_FILES = /^Error: Too many files are open \(EMFILE\)/;

mounted(
  'a full disk › every write is refused in one line, reading goes on, and nothing is lost once there is room',
  async (t) => {
    const steps = await play(
      t,
      `${MOUNT}
    step init treasury init
    step wallets-before treasury wallet list --json
    step height-before treasury chain status --json
    fill
    step contact treasury contacts add bob "$BOB"
    step wallet treasury wallet create second
    step mine treasury chain mine
    step create treasury payments create --recipient "$BOB" --amount-per-period 0.001 --interval MONTHLY
    step list treasury payments list
    step wallets treasury wallet list --json
    rm "$HOME"/filler*
    step wallets-after treasury wallet list --json
    step again treasury contacts add bob "$BOB"
    step contacts treasury contacts list --json
    step payments treasury payments list --json
    step doctor treasury doctor --quick`,
      ['unshare', '-rm'],
    );
    for (const name of ['contact', 'wallet', 'mine', 'create']) refusedWith(t, steps[name], FULL);
    for (const name of ['init', 'list', 'again']) t.is(steps[name]?.exit, 0, `${name}: ${steps[name]?.said}`);
    t.is(steps['wallets']?.said, steps['wallets-before']?.said);
    t.is(steps['wallets-after']?.said, steps['wallets-before']?.said);
    t.is((JSON.parse(steps['contacts']?.said ?? '') as { contacts: unknown[] }).contacts.length, 1);
    t.is((JSON.parse(steps['payments']?.said ?? '') as { total: number }).total, 0);
    t.notRegex(steps['doctor']?.said ?? '', /damaged/);
  },
);

mounted(
  'GET /api/health/ready › given a full disk › it is storage_full, 507, until there is room',
  async (t) => {
    const steps = await play(
      t,
      `${MOUNT}
    treasury init >/dev/null
    "$NODE" "$BIN" serve --port 0 </dev/null 2>log &
    until url=$(grep -o 'http://127.0.0.1:[0-9]*' log | head -1) && [ -n "$url" ]; do sleep 0.2; done
    ask() { "$NODE" -e 'fetch(process.argv[1]).then(async (r) => console.log(r.status, await r.text()))' "$1"; }
    make() { "$NODE" -e 'fetch(process.argv[1] + "/api/payments/create", { method: "POST", headers: { "content-type": "application/json", "x-user-address": process.env.BOB }, body: JSON.stringify({ recipient: process.env.BOB, amountPerPeriod: 0.001, interval: "MONTHLY" }) }).then(async (r) => console.log(r.status, await r.text()))' "$url"; }
    step before ask "$url/api/health/ready"
    fill
    step full ask "$url/api/health/ready"
    step alive ask "$url/api/health"
    step read ask "$url/api/payments?sender=$BOB"
    for n in 1 2 3 4 5 6; do step "create$n" make; done
    rm "$HOME"/filler*
    step after ask "$url/api/health/ready"
    step again make
    kill %1 2>/dev/null || kill $!`,
      ['unshare', '-rm'],
    );
    const said = (name: string) => steps[name]?.said ?? '';
    t.regex(said('before'), /^200 .*"ready"/);
    t.regex(said('full'), /^507 .*"code":"storage_full".*"retryable":true/);
    t.regex(said('alive'), /^200 /);
    t.regex(said('read'), /^200 .*"payments":\[\]/);
    // What fits in the file's last page is stored; then it is full.
    t.regex(said('create6'), /^507 .*"code":"storage_full"/);
    const stored = [1, 2, 3, 4, 5, 6].filter((number) => said(`create${number}`).startsWith('200')).length;
    t.regex(said('after'), /^200 .*"ready"/);
    t.true(said('again').startsWith('200'));
    t.true(said('again').includes(`PAY-000${stored + 1}`), 'a refused one has no number');
  },
);

mounted(
  'a home that is mounted read-only › it can be read, and every write is refused in one line',
  async (t) => {
    const steps = await play(
      t,
      `treasury init >/dev/null
    step made treasury payments create --recipient "$BOB" --amount-per-period 0.001 --interval MONTHLY
    mount --bind "$HOME" "$HOME" && mount -o remount,ro,bind "$HOME"
    step touch touch "$HOME/x"
    step list treasury payments list --json
    step show treasury payments show PAY-0001
    step wallets treasury wallet list
    step balance treasury wallet balance
    step status treasury chain status
    step verify treasury deployments list
    step contact treasury contacts add bob "$BOB"
    step wallet treasury wallet create second
    step mine treasury chain mine
    step fund treasury payments fund PAY-0001 --yes
    step doctor treasury doctor --quick`,
      ['unshare', '-rm'],
    );
    t.not(steps['touch']?.exit, 0, 'the mount is read-only');
    for (const name of ['made', 'list', 'show', 'wallets', 'balance', 'status', 'verify'])
      t.is(steps[name]?.exit, 0, `${name}: ${steps[name]?.said}`);
    t.is((JSON.parse(steps['list']?.said ?? '') as { total: number }).total, 1);
    for (const name of ['contact', 'wallet', 'mine']) refusedWith(t, steps[name], READ_ONLY);
    t.is(steps['fund']?.exit, 5, steps['fund']?.said);
    t.regex(steps['doctor']?.said ?? '', /cannot be written to/);
  },
);

anyTest('too few open files › the program says so in one line, however few they are', async (t) => {
  const steps = await play(
    t,
    `treasury init >/dev/null
    for few in 20 24 26 30; do step "$few" sh -c "ulimit -n $few; exec \\"$NODE\\" \\"$BIN\\" wallet list"; done
    step enough treasury wallet list`,
  );
  for (const few of ['24', '26', '30']) refusedWith(t, steps[few], FEW_FILES);
  t.is(steps['enough']?.exit, 0, steps['enough']?.said);
});
