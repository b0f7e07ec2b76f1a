/**
 * The trial by fire in short: one fault of each of a few kinds. At length: two minutes of whatever a seed brings;
 * `npm run test:cluster -- --minutes 10` for as long as wanted.
 */
import test from 'ava';
import { whyNoPostgres } from '../acceptance/postgres-world.js';
import { AT_LENGTH, atLength, IS_LONG } from '../at-length.js';
import { playCluster } from './play.js';

const title =
  'three daemons on one PostgreSQL › daemons killed and frozen, connections cut, the database killed, blocks taken back › every answered change is there once';

if (whyNoPostgres === null && IS_LONG)
  test(`three daemons on a PostgreSQL that forgets what it has answered › they play on it › that is found${AT_LENGTH}`, async (t) => {
    t.timeout(600_000);
    const { findings } = await playCluster({
      seed: '2',
      seconds: 90,
      pairs: 5,
      isForgetful: true,
      faults: [
        'daemon frozen for a moment',
        'daemon frozen for a moment',
        'database killed and started again',
      ],
    });
    t.true(findings.some((finding) => finding.includes('was confirmed, and no event tells of it')));
  });

if (whyNoPostgres === null)
  test(title, async (t) => {
    t.timeout(600_000);
    const { findings, text } = await playCluster({
      seed: '1',
      seconds: atLength(120, 12),
      pairs: atLength(5, 2),
      ...(IS_LONG
        ? {}
        : {
            faults: [
              'daemon killed and started again',
              'connections ended by the database',
              'blocks taken back',
              'database killed and started again',
              'connections of a daemon cut on their way',
            ],
          }),
    });
    t.log(text);
    t.deepEqual(findings, []);
  });
else test.skip(`${title}: ${whyNoPostgres}`, (t) => t.pass());
