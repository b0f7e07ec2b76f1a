/** Every whole step of every product through the command line, where an indexer shows a broadcast only later. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { binToHex } from '@bitauth/libauth';
import type { ExecutionContext } from 'ava';
import type { Person } from '../../fixtures/people.js';
import { nouns, openApp } from '../../src/app.js';
import { encodeWif } from '../../src/bch/keys.js';
import { throughServers } from '../chain-world.js';
import { runOn } from '../cli/real-environment.js';
import { fundAstray } from '../offer/stray-fundings.js';
import { serve } from './client.js';
import { openLate } from './late-world.js';
import { onEmbeddedChain } from './on-every-chain.js';

const WHY = 'an indexer that is late is what it is about';
const DAY = 86_400;

type Json = Record<string, unknown>;

/** Somebody funds a record a second time, and its creator takes that out again. */
const playRecover = async (
  { line, treasury, alice }: Line,
  noun: 'rewards' | 'streams' | 'payments' | 'budgets',
  label: string,
): Promise<void> => {
  const shown = await line(alice, `${noun} show`, label);
  const [record] = [shown['campaign'], shown['stream'], shown['payment'], shown['plan']].filter(
    (found) => found !== undefined,
  ) as Json[];
  await fundAstray(treasury, String(record?.['id']), { payer: alice });
  await line(alice, `${noun} recover`, label);
};

/** A treasury whose people have coins, and its command line. */
const openLine = async (t: ExecutionContext, delay: string) => {
  const { treasury } = await openLate(t, delay);
  const { alice, bob, carol, authority } = treasury.people;
  const played = new Set<string>();
  await Promise.all([
    ...[1, 2, 3, 4].map(() => treasury.give(alice, 50_000_000n)),
    ...[1, 2].map(() => treasury.give(bob, 1_000_000n)),
    ...[1, 2, 3].map(() => treasury.give(authority, 100_000n)),
  ]);
  const addressOf = (who: Person): string => treasury.addressOf(who).text;

  /** One command of a person, which has to end with 0; its document. */
  const line = async (who: Person, command: string, ...words: readonly string[]): Promise<Json> => {
    const all = [...command.split(' '), ...words, '--wallet', who.name, '--yes', '--json'];
    const { exit, stdout, stderr } = await runOn(treasury, all);
    t.is(exit, 0, `${all.join(' ')}\n${stdout}${stderr}`);
    played.add(command);
    return JSON.parse(stdout) as Json;
  };
  const created = async (command: string, field: string, ...words: readonly string[]) =>
    (await line(alice, command, ...words))[field] as Record<string, string>;
  const makeVault = async (): Promise<string> => {
    const signers = [alice, bob, carol];
    const flags = signers.flatMap((signer) => [
      '--signers',
      addressOf(signer),
      '--signer-pubkeys',
      binToHex(signer.publicKey),
    ]);
    const vault = await line(
      alice,
      'vaults create',
      '--name',
      'Commons',
      '--total-deposit',
      '0.05',
      ...flags,
    );
    return String(vault['id']);
  };
  return { treasury, played, line, created, makeVault, addressOf, alice, bob, carol };
};

type Line = Awaited<ReturnType<typeof openLine>>;

const playVault = async ({ line, makeVault, addressOf, alice, bob }: Line): Promise<string> => {
  const vault = await makeVault();
  await line(alice, 'vaults deposit', vault);
  await line(alice, 'vaults deposit', vault, '--amount', '0.01');
  const outputs = JSON.stringify([{ to: addressOf(bob), amount: '0.005' }]);
  const { label } = await line(alice, 'vaults spend create', vault, '--outputs', outputs);
  const spend = String(label);
  await line(alice, 'vaults spend sign', spend, '--confirm', spend);
  await line(bob, 'vaults spend sign', spend, '--confirm', spend);
  await line(bob, 'vaults spend broadcast', spend);
  return vault;
};

const playRewards = async (opened: Line): Promise<void> => {
  const { line, created, addressOf, alice, bob } = opened;
  const terms = ['--title', 'Bounties', '--total-pool', '0.03', '--max-reward-amount', '0.01'];
  const { campaign_id: id = '' } = await created('rewards create', 'campaign', ...terms);
  await line(alice, 'rewards fund', id);
  await playRecover(opened, 'rewards', id);
  await line(alice, 'rewards distribute', id, '--recipient-address', addressOf(bob), '--amount', '0.01');
  await line(alice, 'rewards pause', id);
  await line(alice, 'rewards cancel', id, '--confirm', id);
};

/** A stream to bob, funded. */
const fundStream = async ({ line, created, addressOf, alice, bob }: Line, ...terms: readonly string[]) => {
  const words = ['--recipient', addressOf(bob), '--total-amount', '0.03', ...terms];
  const { stream_id: id = '' } = await created('streams create', 'stream', ...words);
  await line(alice, 'streams fund', id);
  return id;
};

const playStreams = async (opened: Line, vault: string): Promise<void> => {
  const { line, treasury, addressOf, alice, bob, carol } = opened;
  const plain = await fundStream(opened, '--schedule-template', 'linear-open');
  const open = await fundStream(opened, '--schedule-template', 'recurring-open-weekly');
  const moving = await fundStream(opened, '--schedule-template', 'step-monthly');
  const entries = [1, 2].map(() => ({
    recipient: addressOf(bob),
    totalAmount: '0.01',
    streamType: 'LINEAR',
  }));
  await line(alice, 'streams batch', vault, '--entries', JSON.stringify(entries));
  await playRecover(opened, 'streams', moving);
  await treasury.chain.advance(30 * DAY);
  await line(bob, 'streams claim', plain, '--amount', '0.001');
  await line(alice, 'streams pause', plain);
  await line(alice, 'streams resume', plain);
  await line(alice, 'streams cancel', plain, '--confirm', plain);
  await line(alice, 'streams refill', open, '--refill-amount', '0.0025');
  const pushed = await fundStream(opened, '--schedule-template', 'linear-open', '--push-minimum', '0.0001');
  await treasury.chain.advance(30 * DAY);
  await line(alice, 'streams push', pushed);
  await line(bob, 'streams transfer', moving, '--new-recipient-address', addressOf(carol));
};

const playPayments = async (opened: Line): Promise<void> => {
  const { line, created, treasury, addressOf, alice, bob } = opened;
  const terms = ['--recipient', addressOf(bob), '--amount-per-period', '0.001', '--interval', 'DAILY'];
  terms.push('--push-minimum', '0.001');
  const { payment_id: id = '' } = await created('payments create', 'payment', ...terms);
  await line(alice, 'payments fund', id);
  await playRecover(opened, 'payments', id);
  await treasury.chain.advance(2 * DAY);
  await line(bob, 'payments claim', id);
  await line(alice, 'payments pause', id);
  await line(alice, 'payments resume', id);
  await line(alice, 'payments refill', id, '--periods', '2');
  await treasury.chain.advance(2 * DAY);
  await line(alice, 'payments push', id);
  await line(alice, 'payments cancel', id, '--confirm', id);
};

const playBudgets = async (opened: Line, vault: string): Promise<void> => {
  const { line, treasury, addressOf, alice, bob } = opened;
  const milestones = JSON.stringify([
    { amount: '0.01', durationSeconds: DAY, description: 'Design' },
    { amount: '0.01', durationSeconds: 2 * DAY, description: 'Trial' },
    { amount: '0.02', durationSeconds: 7 * DAY, description: 'Build' },
  ]);
  const plan = await line(
    alice,
    'budgets create',
    vault,
    '--recipient',
    addressOf(bob),
    '--milestones',
    milestones,
    '--push-minimum',
    '0.01',
  );
  const id = String((plan['plan'] as Json | undefined)?.['budget_id'] ?? plan['budget_id']);
  await line(alice, 'budgets fund', id);
  await playRecover(opened, 'budgets', id);
  await treasury.chain.advance(2 * DAY);
  await line(bob, 'budgets release', id);
  await line(alice, 'budgets pause', id);
  await line(alice, 'budgets resume', id);
  await treasury.chain.advance(3 * DAY);
  await line(alice, 'budgets push', id);
  await line(alice, 'budgets cancel', id, '--confirm', id);
};

const playGovernance = async ({ line, treasury, alice }: Line, vault: string): Promise<void> => {
  await line(alice, 'tokens create', '--supply', '1000', '--decimals', '0', '--symbol', 'VOICE');
  const { tokens } = await line(alice, 'tokens list');
  const category = (tokens as readonly { category: string }[])[0]?.category ?? '';
  const words = ['--title', 'Hire Dave', '--quorum', '50', '--voting-duration-days', '7'];
  const proposal = await line(alice, 'governance propose', vault, ...words, '--token-category', category);
  const id = String(proposal['id']);
  const vote = ['--vote-choice', 'FOR', '--stake-amount', '100', '--token-category', category];
  await line(alice, 'governance lock', id, ...vote);
  await treasury.chain.advance(8 * DAY);
  await line(alice, 'governance unlock', id, '--token-category', category);
};

/** The whole steps that the program has, as they are typed. */
const everyStep = async (): Promise<readonly string[]> => {
  const loaded = await Promise.all(
    nouns.map(async ({ noun, load }) => ({ noun, offers: (await load()).operations })),
  );
  return loaded.flatMap(({ noun, offers }) =>
    offers.flatMap((offer) => ('kind' in offer ? [`${noun} ${offer.verb}`] : [])),
  );
};

onEmbeddedChain(
  'a late index › given an indexer that is 300 ms behind › every whole step of every product ends with 0',
  WHY,
  async (t) => {
    t.timeout(240_000);
    const opened = await openLine(t, '300ms');
    const vault = await playVault(opened);
    await playRewards(opened);
    await playStreams(opened, vault);
    await playPayments(opened);
    await playBudgets(opened, vault);
    await playGovernance(opened, vault);
    await opened.line(opened.alice, 'wallet send', '--to', opened.addressOf(opened.bob), '--amount', '0.01');
    const missed = (await everyStep()).filter((step) => !opened.played.has(step));
    t.deepEqual(missed, [], 'these whole steps were not played');
  },
);

onEmbeddedChain(
  'a late index › given an indexer that is 2 seconds behind › a vault is funded and its spends are broadcast, at the terminal and over HTTP',
  WHY,
  async (t) => {
    t.timeout(120_000);
    const opened = await openLine(t, '2s');
    const vault = await playVault(opened);
    const { line, treasury, addressOf, alice, bob } = opened;
    const outputs = JSON.stringify([{ to: addressOf(bob), amount: '0.005' }]);
    const { label, id } = await line(alice, 'vaults spend create', vault, '--outputs', outputs);
    for (const who of [alice, bob])
      await line(who, 'vaults spend sign', String(label), '--confirm', String(label));
    const { call } = await serve(t, treasury);
    const answer = await call(
      'POST',
      `/api/vaults/${vault}/spends/${String(id)}/broadcast`,
      {},
      {
        address: addressOf(bob),
      },
    );
    t.is(answer.status, 200, JSON.stringify(answer.body));
    t.like(answer.body, { success: true, state: 'confirmed', status: 'SPENT' });
    await fundStream(opened, '--schedule-template', 'linear-open');
  },
);

/** A home of its own with the wallet of a person, and the command line on it in a process of its own. */
const homeWith = async (t: ExecutionContext, { name, privateKey }: Person, url: string) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const app = await openApp({ home, network: 'regtest', outside: throughServers([url]) });
  await app.context.keys.import({ name, passphrase: null, wif: encodeWif(privateKey, 'regtest') });
  await app.close();
  const { PATH, NODE_OPTIONS } = process.env;
  const settings = { TREASURY_HOME: home, TREASURY_NETWORK: 'regtest', TREASURY_ELECTRUM: url };
  const env = { PATH, NODE_OPTIONS, HOME: home, ...settings };
  return (words: readonly string[]): Promise<{ exit: number | null; stdout: string; stderr: string }> =>
    new Promise((done) => {
      const child = execFile(
        process.execPath,
        [resolve('bin/treasury.js'), ...words, '--wallet', name],
        { env },
        (_error, stdout, stderr) => {
          done({ exit: child.exitCode, stdout, stderr });
        },
      );
    });
};

onEmbeddedChain(
  'a late index › given two processes that send the same coin at once › both end with 0, and the second is built once more',
  WHY,
  async (t) => {
    t.timeout(120_000);
    const { treasury, url } = await openLate(t, '5s');
    const { carol, bob } = treasury.people;
    await treasury.give(carol, 50_000_000n);
    const [first, second] = await Promise.all([homeWith(t, carol, url), homeWith(t, carol, url)]);
    const send = (amount: string): readonly string[] => [
      ...['wallet', 'send', '--to', treasury.addressOf(bob).text],
      ...['--amount', amount, '--yes'],
    ];
    const outcomes = await Promise.all([first(send('0.1')), second(send('0.2'))]);
    t.deepEqual(
      outcomes.map((outcome) => outcome.exit),
      [0, 0],
      JSON.stringify(outcomes),
    );
    const rebuilt = outcomes.filter((outcome) => /building it once more/.test(outcome.stderr));
    t.is(rebuilt.length, 1, JSON.stringify(outcomes));
    t.is(await treasury.satoshisOf(bob), 30_000_000n);
  },
);
