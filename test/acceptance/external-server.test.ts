/**
 * One file of acceptance tests run as CONTRIBUTING.md says they are run against a server that is already there. It is
 * `treasury chain serve` here, steered by the commands of the embedded chain.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startChainProcess } from './chain-process.js';
import { onEmbeddedChain } from './on-every-chain.js';

const run = promisify(execFile);
const AVA = 'node_modules/ava/entrypoints/cli.mjs';
const FILE = 'test/acceptance/governance.test.ts';

const title =
  'the acceptance tests › given a server in the environment › they run against it alone, and pass';

onEmbeddedChain(title, 'it is the run that it would begin', async (t) => {
  t.timeout(240_000);
  const { home, port } = await startChainProcess(t);
  const own = `TREASURY_NETWORK=local TREASURY_HOME=${home}`;
  const env = {
    ...process.env,
    TREASURY_NETWORK: 'regtest',
    TREASURY_ELECTRUM: `tcp://127.0.0.1:${port}`,
    TREASURY_MINE_COMMAND: `${own} node bin/treasury.js chain mine`,
    TREASURY_FUND_COMMAND: `${own} node build/test/acceptance/children/pay-from-faucet.js`,
    TREASURY_ADVANCE_COMMAND: `${own} sh -c 'node bin/treasury.js chain advance "$1"s' -`,
  };
  const { stdout } = await run(process.execPath, [AVA, '--serial', '--tap', FILE], { env });
  const results = stdout.split('\n').filter((line) => /^(?:not )?ok /.test(line));
  t.is(results.length, 1, stdout);
  t.regex(results[0] ?? '', /^ok 1 - against a server › /);
  t.notRegex(stdout, /# SKIP/);
});
