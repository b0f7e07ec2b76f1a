/**
 * Plays the reference SDK of WalletConnect (installed in a temporary folder) against the relay and the phone of the tests,
 * as the wallet and as the dapp, and as the wallet of the command line, and records what it says:
 *
 *   npm run test:interop
 *
 * `--folder FOLDER` names one in which it is installed already. Writes fixtures/wallet-vectors.json.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { playInterop } from '../test/phone/interop.js';
import { playTreasury } from '../test/phone/interop-treasury.js';
import { withSdk } from '../test/phone/sdk.js';

const VECTORS = fileURLToPath(new URL('../../fixtures/wallet-vectors.json', import.meta.url));

const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const say = (what: string): void => {
  process.stdout.write(`${what}\n`);
};
const play = async (folder: string): ReturnType<typeof playInterop> => {
  await playTreasury(folder, say);
  return playInterop(folder, say);
};
const vectors = await (values.folder === undefined ? withSdk(play) : play(values.folder));
await writeFile(VECTORS, `${JSON.stringify(vectors, null, 2)}\n`);
say(`recorded ${Object.keys(vectors).length} vectors`);
