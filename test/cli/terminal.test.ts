/** Guided creates as a person types them, mistakes included, at a real terminal of the built program. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { erin } from '../../fixtures/people.js';
import { converse, KEYS, openTerminal } from './terminal.js';

const run = promisify(execFile);
const BIN = resolve('bin/treasury.js');
const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
const env = { HOME: folder, TREASURY_HOME: join(folder, 'data'), TREASURY_NETWORK: 'local' };
const surroundings = { env: { PATH: process.env['PATH'], TZ: 'UTC', ...env } };
const erinAt = erin.address('local').text;

const treasury = async (...words: readonly string[]): Promise<Record<string, unknown>> => {
  const { stdout } = await run('node', [BIN, ...words, '--json', '--yes'], surroundings);
  return JSON.parse(stdout) as Record<string, unknown>;
};

test.before(async () => {
  await treasury('init');
  await treasury('wallet', 'create', 'ben');
  await treasury('wallet', 'create', 'cleo');
  await treasury('contacts', 'add', 'erin', erinAt);
});

test.after.always(() => {
  rmSync(folder, { recursive: true, force: true });
});

type Lines = Parameters<typeof converse>[1];

/** Has a conversation that ends well, and runs the one line that it has shown. */
const create = async (
  t: ExecutionContext,
  words: readonly string[],
  lines: Lines,
  meanwhile = (): Promise<unknown> => Promise.resolve(),
): Promise<string> => {
  const terminal = openTerminal(t, words, env);
  await converse(terminal, lines);
  const { exit, screen } = await terminal.ended;
  t.is(exit, 0, screen);
  const line = /The same in one line:\s+(treasury .*?)\r?\n/.exec(screen)?.[1] ?? '';
  t.regex(line, new RegExp(`^treasury ${words.join(' ')} `));
  await meanwhile();
  const script = `treasury() { node '${BIN}' "$@"; }; ${line}`;
  await t.notThrowsAsync(run('bash', ['-c', script], surroundings), line);
  return screen;
};

const { clear, down, enter, ctrlC } = KEYS;

test.serial(
  'at a terminal › vaults create › a wrong amount and a signer twice are mended where they stand',
  async (t) => {
    const screen = await create(
      t,
      ['vaults', 'create'],
      [
        [/What is it called\?/, 'Common funds'],
        [/How much BCH is to go in/, '1,5'],
        [/"1,5" is not a usable amount/, `${clear}0.5`],
        [/Signer 1: who signs\?/, ''],
        [/Signer 2: who signs\?/, '2'],
        [/Signer 3: who signs\?/, '2'],
        [/is an earlier signer/, `${clear}<`],
        [/Signer 2: who signs\?/, ''],
        [/Signer 3: who signs\?/, `${clear}3`],
        [/May everybody read it/, ''],
        [/Go ahead\?/, ''],
      ],
    );
    t.regex(screen, /Their key is that of the wallet cleo/);
    t.regex(screen, /Common funds is created/);
  },
);

test.serial(
  'at a terminal › streams create › wrong address, 1,5, a past date and < ; the curve is drawn',
  async (t) => {
    const screen = await create(
      t,
      ['streams', 'create'],
      [
        [/Does it belong to a vault\?/, ''],
        [/Who gets it\?/, 'nobody'],
        [/"nobody" is not a usable address/, `${clear}@erni`],
        [/use @erin/, `${clear}@erin`],
        [/What does it pay\?/, ''],
        [/How much in all\?/, '1,5'],
        [/"1,5" is not a usable amount/, `${clear}2`],
        [/How does it vest\?/, '', `${down}${enter}`],
        [/When does it start\?/, '<'],
        [/How does it vest\?/, '', `${down}${enter}`],
        [/Of which type\?/, ''],
        [/When does it start\?/, ''],
        [/When does it end\?/, '2020-01-01'],
        [/must be later than/, `${clear}31/12/2040`],
        [/expected year-month-day/, `${clear}+200d`],
        [/A cliff/, '+20d'],
        [/May you pause and cancel it\?/, ''],
        [/May the recipient pass it on\?/, ''],
        [/What is it for\?/, "Erin's design"],
        [/paid to the recipient\?/, ''],
        [/Go ahead\?/, ''],
      ],
    );
    t.regex(screen, /@erin is bchtest:/);
    t.regex(screen, /100 % \|/);
    t.regex(screen, /STREAM-0001 is created/);
  },
);

test.serial(
  'at a terminal › budgets create › milestones, and what remains of the whole by Enter',
  async (t) => {
    const screen = await create(
      t,
      ['budgets', 'create'],
      [
        [/In which vault\?/, ''],
        [/Who gets it\?/, '3'],
        [/What are they called\?/, 'Cleo'],
        [/What does it pay\?/, ''],
        [/How is it paid\?/, ''],
        [/How much in all\?/, '1'],
        [/When does it start\?/, ''],
        [/Milestone 1: how much\?/, '0.4'],
        [/Milestone 1: how long/, 'soon'],
        [/"soon" is not a duration/, `${clear}30d`],
        [/Milestone 1: for what\?/, 'Design'],
        [/0\.4 in all, 0\.6 to go[^]*Milestone 2: how much\?/, ''],
        [/Milestone 2: how long/, '2 weeks'],
        [/Milestone 2: for what\?/, 'Launch'],
        [/1 in all, 0 to go[^]*May you pause and cancel it\?/, ''],
        [/paid to the recipient\?/, ''],
        [/Go ahead\?/, ''],
      ],
    );
    t.regex(screen, /BUDGET-0001 is created/);
  },
);

test.serial('at a terminal › payments create › how often, and until when', async (t) => {
  const screen = await create(
    t,
    ['payments', 'create'],
    [
      [/Does it belong to a vault\?/, ''],
      [/Who gets it\?/, '2'],
      [/What are they called\?/, ''],
      [/What does it pay\?/, ''],
      [/How often\?/, 'mon'],
      [/How much each time\?/, '0.00000001'],
      [/below|dust|at least/, `${clear}0.1`],
      [/When does it start\?/, ''],
      [/When does it end\?/, '+10d'],
      [/before the first payment/, `${clear}+90d`],
      [/May you pause and cancel it\?/, ''],
      [/paid to the recipient\?/, ''],
      [/Go ahead\?/, ''],
    ],
  );
  t.regex(screen, /In all +3 payments/);
});

test.serial('at a terminal › rewards create › a reward above the pool is refused', async (t) => {
  const screen = await create(
    t,
    ['rewards', 'create'],
    [
      [/What is it called\?/, 'Bug bounties'],
      [/What is it for\?/, ''],
      [/Of which kind\?/, ''],
      [/What does it pay\?/, ''],
      [/How much is in the pool\?/, '1'],
      [/one recipient get at most\?/, '2'],
      [/> [^]*2/, `${clear}0.1`],
      [/When does it start\?/, ''],
      [/When does it end\?/, '2026-13-01'],
      [/no month 13/, `${clear}+30d`],
      [/Does it belong to a vault/, ''],
      [/Where does cancelling pay/, ''],
      [/Go ahead\?/, ''],
    ],
  );
  t.regex(screen, /REWARD-0001 Bug bounties is created/);
});

test.serial(
  'at a terminal › governance propose › and spends of a vault › end with a record each',
  async (t) => {
    await create(
      t,
      ['governance', 'propose'],
      [
        [/In which vault\?/, ''],
        [/What is proposed/, 'Hire Ben'],
        [/And in full\?/, ''],
        [/How many days/, '400'],
        [/365/, `${clear}7`],
        [/Which token votes\?/, ''],
        [/How much weight/, '100'],
        [/Go ahead\?/, ''],
      ],
    );
    // The vault that was made last is the first that is offered.
    const { created } = (await treasury('vaults', 'list')) as {
      created: readonly { id: string }[];
    };
    const { address } = (await treasury('wallet', 'address')) as { address: string };
    await treasury('chain', 'faucet', address, '2');
    await treasury('vaults', 'deposit', created[0]?.id ?? '', '--amount', '1');
    const screen = await create(
      t,
      ['vaults', 'spend', 'create'],
      [
        [/From which vault\?/, ''],
        [/Payment 1: to whom\?/, '2'],
        [/Payment 1: how much\?/, '900'],
        [/to spend, but[^]*900/, `${clear}0.1`],
        [/Payment 1: of what\?/, ''],
        [/Payment 2: to whom\?/, ''],
        [/What is it for\?/, 'Audit'],
        [/Go ahead\?/, ''],
      ],
      // Its coins are leased until it is cancelled.
      () => treasury('vaults', 'spend', 'cancel', 'SPEND-0001'),
    );
    t.regex(screen, /SPEND-0001/);
  },
);

test.serial(
  'at a terminal › Ctrl-C › at a text, a choice or the last question › nothing is stored, exit 130',
  async (t) => {
    const { total } = (await treasury('streams', 'list')) as { total: number };
    const lines: Lines = [
      [/Does it belong to a vault\?/, ''],
      [/Who gets it\?/, '2'],
      [/What does it pay\?/, ''],
      [/How much in all\?/, '1'],
      [/How does it vest\?/, '', `${down}${enter}`],
      [/When does it start\?/, ''],
      [/May you pause and cancel it\?/, ''],
      [/May the recipient pass it on\?/, ''],
      [/What is it for\?/, ''],
      [/paid to the recipient\?/, ''],
      [/Go ahead\?/, ''],
    ];
    for (const place of [1, 2, lines.length - 1]) {
      const terminal = openTerminal(t, ['streams', 'create'], env);
      const stop = lines[place]?.[0] ?? /$/;
      await converse(terminal, [...lines.slice(0, place), [stop, '', ctrlC]]);
      const { exit, screen } = await terminal.ended;
      t.is(exit, 130, screen);
      t.regex(screen, /Interrupted: nothing more was done\./);
    }
    t.like(await treasury('streams', 'list'), { total });
  },
);

test.serial('at a terminal › Ctrl-C while a server is waited for › the command ends at once', async (t) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const passphraseFile = join(folder, 'passphrase');
  writeFileSync(passphraseFile, 'correct horse');
  const waiting = {
    ...env,
    TREASURY_NETWORK: 'regtest',
    TREASURY_ELECTRUM: `tcp://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    TREASURY_PASSPHRASE_FILE: passphraseFile,
  };
  await run('node', [BIN, 'wallet', 'create', 'main'], { env: { ...surroundings.env, ...waiting } });
  const to = erin.address('regtest').text;
  const words = ['wallet', 'send', '--to', to, '--amount', '0.1', '--yes'];
  const terminal = openTerminal(t, words, waiting);
  await terminal.see(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u);
  terminal.type(ctrlC, '');
  const { exit, screen } = await terminal.ended;
  t.is(exit, 130, screen);
});
