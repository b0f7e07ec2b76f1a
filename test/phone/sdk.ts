/** The reference SDK, installed in a temporary folder: never a dependency. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PhoneOptions } from './behaviour.js';
import { startPhone, type Phone } from './phone.js';

const run = promisify(execFile);
/** The last one under the Apache licence. */
export const SDK = '@walletconnect/sign-client@2.21.8';

const childOf = (name: string): string => fileURLToPath(new URL(`children/${name}.js`, import.meta.url));

/** Where the SDK is, for as long as `work` takes. */
export const withSdk = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'treasury-interop-'));
  try {
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    // Whoever runs this may be npm itself: the folder is named, so that it is not theirs.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefix', folder];
    await run('npm', ['install', ...flags, SDK], { cwd: folder });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The SDK as a wallet. It takes the orders `scan`, `meet`, `plan`, `switchAccount`, `ask` (ping, extend), `endSession`, `account`. */
export const startSdkWallet = (folder: string, options: PhoneOptions): Phone =>
  startPhone(options, [childOf('sdk-wallet'), folder]);

/** What the SDK makes of fixed keys and texts, by the name of the vector. */
export const vectorsOfSdk = async (folder: string): Promise<Record<string, Record<string, unknown>>> => {
  const { stdout } = await run(process.execPath, [childOf('sdk-vectors'), folder]);
  return JSON.parse(stdout) as Record<string, Record<string, unknown>>;
};

/** The SDK as a dapp. It takes one order, `ask`: see `children/sdk-dapp.ts`. */
export const startSdkDapp = (folder: string, options: PhoneOptions): Phone =>
  startPhone(options, [childOf('sdk-dapp'), folder]);
