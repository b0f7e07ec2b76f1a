/** A process of its own that makes wallets: `wallet-maker <folder> <prefix> <count>`. Says `ready`, then waits for a line. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openKeystore } from '../../../src/adapters/keystore/keystore.js';

const [folder = '', prefix = '', count = '0'] = process.argv.slice(2);
const keys = openKeystore({
  folder,
  network: 'local',
  askPassphrase: () => Promise.resolve(null),
  now: () => 0,
  random: (length) => new Uint8Array(randomBytes(length)),
});

process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (let index = 0; index < Number(count); index += 1) {
  await keys.create({ name: `${prefix}-${index}`, passphrase: null });
}
process.stdin.destroy();
