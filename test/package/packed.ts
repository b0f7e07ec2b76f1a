/** The package as it is shipped: packed, and installed from the tarball. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A folder that goes when the test is over. */
export const makeFolder = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

export type Packed = { readonly tarball: string; readonly files: readonly string[] };

/** Packs `dist` as it stands into a folder. */
export const pack = (folder: string): Packed => {
  mkdirSync(folder, { recursive: true });
  const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: resolve('.'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(said) as { filename: string; files: { path: string }[] }[];
  if (packed === undefined) throw new Error(`npm pack said ${said}`);
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
};

/** Installs a tarball into a folder that has nothing else in it, as somebody would who has nothing but it. */
export const install = (tarball: string, folder: string): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
    cwd: folder,
    stdio: 'pipe',
  });
};

/** A running daemon. */
export type Served = {
  readonly child: ChildProcess;
  readonly url: string;
  /** Sends the signal; resolves to the exit code. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>;
};

/** Starts a command that serves, and waits until it says where. */
export const serve = async (
  t: ExecutionContext,
  [command = '', ...words]: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Served> => {
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  for await (const chunk of child.stderr) {
    said += String(chunk);
    const [url] = /http:\/\/[\d.]+:\d+/.exec(said) ?? [];
    if (url === undefined) continue;
    child.stderr.resume();
    const stop: Served['stop'] = async (signal) => {
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.kill(signal);
      return (await exited)[0];
    };
    return { child, url, stop };
  }
  throw new Error(`it ended without serving: ${said}`);
};
