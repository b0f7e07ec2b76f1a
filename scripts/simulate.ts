/**
 * Plays the whole system from one seed: daemons, commands, servers, a chain, and people honest and not.
 *
 *   npm run simulate -- --seed 1 --minutes 30       worlds of that seed, for so long
 *   npm run simulate -- --seed 1 --world 17         one world again, shrunk when something is found in it
 *   npm run simulate -- --mutant NAME --seed 1      the same of a program with a known fault (test/simulate/mutants.ts)
 *   npm run simulate -- --postgres --seed 1         the same with the records on a PostgreSQL that is started for it
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { ownServer } from '../test/postgres/server.js';
import { bundleSimulator } from '../test/simulate/bundle.js';
import { MUTANTS } from '../test/simulate/mutants.js';

const args = process.argv.slice(2);
const takeOut = (option: string, values: number): readonly string[] => {
  const at = args.indexOf(option);
  return at === -1 ? [] : args.splice(at, values + 1);
};
const [, name] = takeOut('--mutant', 1);
const isOnPostgres = takeOut('--postgres', 0).length > 0;
const mutant = MUTANTS.find((one) => one.name === name);
if (name !== undefined && mutant === undefined)
  throw new Error(`there is no mutant ${name}: ${MUTANTS.map((one) => one.name).join(', ')}`);
const ends: (() => unknown)[] = [];
if (isOnPostgres) {
  const given = process.env['TREASURY_TEST_DATABASE_URL'];
  const server = given === undefined ? await ownServer({ teardown: (end) => void ends.push(end) }) : null;
  args.push('--database', server?.url ?? given ?? '');
}
// Whoever interrupts it leaves no server behind: that is ended with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    process.exit(1);
  });
// A folder of its own: others may simulate meanwhile.
const file = await bundleSimulator(process.cwd(), `${name ?? 'plain'}-${process.pid}`, mutant?.changes ?? []);
spawn(process.execPath, ['--enable-source-maps', file, ...args], { stdio: 'inherit' }).once(
  'exit',
  (code) => {
    process.exitCode = code ?? 1;
    rmSync(dirname(file), { recursive: true, force: true });
    for (const end of ends) void end();
  },
);
