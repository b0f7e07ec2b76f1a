/** A process of its own that gives one token out: `access-issuer <folder> <address>`. Says `ready`, then waits for a line. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openAccessTokens } from '../../src/adapters/access-tokens.js';

const [folder = '', address = ''] = process.argv.slice(2);
const access = openAccessTokens({
  folder,
  network: 'local',
  domain: 'treasury.example',
  wall: () => 1_700_000_000,
  random: (length) => new Uint8Array(randomBytes(length)),
});

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdout.write(`${(await access.issue(address)).accessToken}\n`);
process.stdin.destroy();
