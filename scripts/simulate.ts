/**
 * Plays the whole system from one seed: daemons, commands, servers, a chain, and people honest and not.
 *
 *   npm run simulate -- --seed 1 --minutes 30       worlds of that seed, for so long
 *   npm run simulate -- --seed 1 --world 17         one world again, shrunk when something is found in it
 *   npm run simulate -- --mutant NAME --seed 1      the same of a program with a known fault (test/simulate/mutants.ts)
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { bundleSimulator } from '../test/simulate/bundle.js';
import { MUTANTS } from '../test/simulate/mutants.js';

const args = process.argv.slice(2);
const at = args.indexOf('--mutant');
const [, name] = at === -1 ? [] : args.splice(at, 2);
const mutant = MUTANTS.find((one) => one.name === name);
if (name !== undefined && mutant === undefined)
  throw new Error(`there is no mutant ${name}: ${MUTANTS.map((one) => one.name).join(', ')}`);
// A folder of its own: others may simulate meanwhile.
const file = await bundleSimulator(process.cwd(), `${name ?? 'plain'}-${process.pid}`, mutant?.changes ?? []);
spawn(process.execPath, ['--enable-source-maps', file, ...args], { stdio: 'inherit' }).once(
  'exit',
  (code) => {
    process.exitCode = code ?? 1;
    rmSync(dirname(file), { recursive: true, force: true });
  },
);
