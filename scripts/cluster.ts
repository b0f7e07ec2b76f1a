/**
 * The trial by fire of several daemons on one PostgreSQL (test/cluster):
 *
 *   npm run test:cluster -- --minutes 10 --seed 1
 *
 * `--keep FOLDER` leaves the logs of the daemons there. Exit code 1: something was found.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { playCluster } from '../test/cluster/play.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(randomInt(1, 2 ** 31)) },
    pairs: { type: 'string', default: '4' },
    keep: { type: 'string' },
  },
});
const begun = performance.now();
const { findings, text } = await playCluster({
  seed: values.seed,
  seconds: Number(values.minutes) * 60,
  pairs: Number(values.pairs),
  keep: values.keep,
  say: (what) => {
    process.stderr.write(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(7)} s  ${what}\n`);
  },
});
process.stdout.write(`${text}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
