/** Every signature of every product, made on a phone: what the products' own pages show, with a phone as the wallet. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { atLength } from '../at-length.js';
import { runInShell } from '../cli/shell.js';
import { openPhone } from './open-phone.js';
import { PROJECT_ID } from './relay.js';

/** Pages, and whose wallet is the phone: `main` pays, the others are paid or sign. `npm test` plays the first ones. */
const parts: readonly (readonly [page: string, name: string, protocol?: 'wizardconnect'])[] = [
  ['docs/guides/payroll.md', 'main'],
  ['docs/guides/dao.md', 'ann'],
  ['docs/guides/payroll.md', 'emil'],
  // Here the wallet is told which of its keys each input waits for, in contracts too.
  ['docs/guides/dao.md', 'ben', 'wizardconnect'],
  ['src/products/deployments/README.md', 'main'],
  ['docs/guides/dao.md', 'main'],
  ['docs/guides/dao.md', 'ben'],
  ['docs/guides/grants.md', 'main'],
  ['docs/guides/grants.md', 'dora'],
  ['docs/guides/rewards.md', 'main'],
  ['docs/guides/payroll.md', 'ann'],
  ['docs/guides/dao.md', 'main', 'wizardconnect'],
  ['docs/guides/grants.md', 'dora', 'wizardconnect'],
];

const commandsOf = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/```console\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => line.startsWith('$ '))
    .map((line) => line.slice(2));

const IN_SHORT = 4;

/** Wallets are made as the page does, but for the one that is there. */
const besideThePhone = (command: string): string =>
  command.replace(
    /treasury wallet create ([$\w]+)/,
    '{ treasury wallet show $1 > /dev/null 2>&1 || treasury wallet create $1; }',
  );

/** The phone is the wallet that pays: it has coins, and commands use it where none is named. */
const asPayer = (connect: string, address: string): readonly string[] => [
  connect,
  ...Array<string>(5).fill(`treasury chain faucet ${address} 2`),
  'treasury wallet use phone',
];

for (const [path, name, protocol] of parts.slice(0, atLength(parts.length, IN_SHORT))) {
  const over = protocol === undefined ? '' : ` over ${protocol}`;
  const flags = protocol === undefined ? '' : ` --protocol ${protocol} --yes`;
  test(`${path} › given a phone as ${name}${over} › every command in it runs`, async (t) => {
    const home = mkdtempSync(join(tmpdir(), 'treasury-phone-'));
    t.teardown(() => {
      rmSync(home, { recursive: true, force: true });
    });
    const { relay, nostr, phone } = await openPhone(t, '0d'.repeat(16));
    const { address } = await phone.do('account');
    const script = [
      'set -euo pipefail',
      ...(name === 'main'
        ? asPayer(`treasury wallet connect${flags}`, address)
        : [`treasury wallet connect --name ${name}${flags}`]),
      ...commandsOf(path).map(besideThePhone),
    ];
    const env = {
      ...process.env,
      TREASURY_HOME: join(home, 'home'),
      TREASURY_WALLETCONNECT_RELAY_URL: relay.url,
      TREASURY_WIZARDCONNECT_RELAY_URL: nostr.url,
      TREASURY_WALLETCONNECT_PROJECT_ID: PROJECT_ID,
      TREASURY_WALLET_WAIT: '20',
      NO_COLOR: '1',
    };
    const onOutput = (text: string): void => {
      const [uri] = /(?:wc:|wiz:)\S+/.exec(text) ?? [];
      if (uri !== undefined) void phone.do('scan', uri);
    };
    await t.notThrowsAsync(runInShell(t, script.join('\n'), { cwd: home, env, onOutput }));
    const asked = phone.events.filter(
      ({ kind, method }) =>
        kind === 'request' && /^(?:bch_signTransaction|sign_transaction_request)$/.test(String(method)),
    );
    t.true(asked.length > 0);
    t.log(asked.map(({ userPrompt }) => String(userPrompt)).join(' | '));
    t.deepEqual([...relay.complaints, ...nostr.complaints], []);
  });
}
