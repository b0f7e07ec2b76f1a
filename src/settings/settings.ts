/**
 * Settings and where each came from: flags, then the environment, then the project's file, then the user's, then
 * the default. The table itself is in `table.ts`.
 *
 * This module is light: every command reads it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, TreasuryError } from '../errors.js';
import { SETTINGS, type Declaration, type PlatformFolders } from './table.js';

export { SETTINGS } from './table.js';
export type { LogLevel, PlatformFolders } from './table.js';

/** The name of a project's settings file, looked for in the working folder and its parents. */
export const PROJECT_FILE = 'treasury.config.json';
/** The name of the user's settings file in the platform's config folder. */
export const USER_FILE = 'config.json';

export type SettingName = keyof typeof SETTINGS;

/** The value of every setting. */
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['fallback']> };

/** Where a setting's value came from. */
export type SettingOrigin = 'flag' | 'environment' | 'project' | 'user' | 'default';

/** One setting as it stands. `source` is the flag, the variable or the file; empty for a default. */
export type SettingReading = {
  readonly name: SettingName;
  readonly value: Settings[SettingName];
  readonly origin: SettingOrigin;
  readonly source: string;
};

export const settingNames = Object.keys(SETTINGS) as SettingName[];

/** The variable of a setting: `TREASURY_CORS_ORIGINS` of `corsOrigins`. */
export const variableOf = (name: SettingName): string =>
  `TREASURY_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** A setting's value as it may be shown: a secret is not, and null stays null. */
export const shownValue = ({ name, value }: Pick<SettingReading, 'name' | 'value'>): unknown =>
  'isSecret' in SETTINGS[name] && value !== null ? '(not shown)' : value;

/** The rows of the README's configuration table. */
export const settingRows: readonly {
  readonly name: SettingName;
  readonly env: string;
  readonly flag: string;
  readonly fallback: string;
  readonly description: string;
}[] = settingNames.map((name) => {
  const { flag, fallbackText, description } = SETTINGS[name];
  return { name, env: variableOf(name), flag: flag ?? '', fallback: fallbackText, description };
});

type SettingsFile = { readonly path: string; readonly values: Readonly<Record<string, unknown>> };

/** The nearest project file of a folder, in it or above it; null when there is none. */
export const findProjectFile = (folder: string): string | null => {
  const path = join(folder, PROJECT_FILE);
  if (existsSync(path)) return path;
  const parent = dirname(folder);
  return parent === folder ? null : findProjectFile(parent);
};

/** True for a name that promises a secret, which no settings file may hold. */
export const isSecretName = (name: string): boolean =>
  /passphrase|password|secret|mnemonic|wif/i.test(name) || name === 'databaseUrl';

const refuseKey = (path: string, key: string): TreasuryError =>
  isSecretName(key)
    ? new TreasuryError('invalid_setting', {
        setting: `${key} in ${path}`,
        value: '(not shown)',
        expected: `no secret in a settings file: name a file in ${key === 'databaseUrl' ? 'databaseUrlFile' : 'passphraseFile'} instead`,
      })
    : new TreasuryError('invalid_setting', {
        setting: `${key} in ${path}`,
        value: '(not read)',
        expected: `a key that is one of ${settingNames.join(', ')}`,
      });

/** A settings file; null when it does not exist. @throws invalid_file */
const readFile = (path: string | null): SettingsFile | null => {
  if (path === null || !existsSync(path)) return null;
  const refuse = (reason: string) => new TreasuryError('invalid_file', { file: path, reason });
  let values: unknown;
  try {
    values = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(messageOf(error));
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw refuse('expected one JSON object of settings');
  }
  return { path, values: values as Record<string, unknown> };
};

/** @throws invalid_setting for the first key that is no setting */
const requireKnownKeys = (file: SettingsFile | null): void => {
  if (file === null) return;
  const isRefused = (key: string): boolean =>
    !Object.hasOwn(SETTINGS, key) || 'isSecret' in SETTINGS[key as SettingName];
  const unknownKey = Object.keys(file.values).find(isRefused);
  if (unknownKey !== undefined) throw refuseKey(file.path, unknownKey);
};

/** What settings are read from. */
export type SettingSources = {
  /** Values of flags that were given, by setting. */
  readonly flags: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly folders: PlatformFolders;
};

type SettingFiles = { readonly project: SettingsFile | null; readonly user: SettingsFile | null };

/** The settings files as they stand, whatever their keys; null for one that is not there. @throws invalid_file */
export const settingFiles = ({ cwd, folders }: SettingSources): SettingFiles => ({
  project: readFile(findProjectFile(resolve(cwd))),
  user: readFile(join(folders.config, USER_FILE)),
});

/** How settings are read. */
export type ReadingOptions = {
  /** True: keys that are no setting are passed over instead of refused. */
  readonly passOverUnknown?: boolean;
};

type Candidate = { readonly value: unknown; readonly origin: SettingOrigin; readonly source: string };

const candidateOf = (
  name: SettingName,
  { flags, env }: SettingSources,
  files: SettingFiles,
): Candidate | null => {
  if (flags[name] !== undefined)
    return { value: flags[name], origin: 'flag', source: SETTINGS[name].flag ?? '' };
  const variable = variableOf(name);
  const text = env[variable];
  if (text !== undefined && text !== '') return { value: text, origin: 'environment', source: variable };
  for (const origin of ['project', 'user'] as const) {
    const file = files[origin];
    if (file === null || !Object.hasOwn(file.values, name)) continue;
    return { value: file.values[name], origin, source: file.path };
  }
  return null;
};

const readOne = (
  name: SettingName,
  candidate: Candidate | null,
  { cwd, folders }: SettingSources,
): SettingReading => {
  const declaration: Declaration<unknown> = SETTINGS[name];
  if (candidate === null) {
    const value = SETTINGS[name].fallback(folders);
    return { name, value, origin: 'default', source: '' };
  }
  const { origin, source } = candidate;
  const parsed = declaration.parse(candidate.value);
  if (parsed === undefined) {
    const { value } = candidate;
    throw new TreasuryError('invalid_setting', {
      setting: origin === 'flag' || origin === 'environment' ? source : `${name} in ${source}`,
      value:
        declaration.isSecret === true
          ? '(not shown)'
          : typeof value === 'string'
            ? value
            : JSON.stringify(value),
      expected: declaration.expected,
    });
  }
  const base = origin === 'project' || origin === 'user' ? dirname(source) : cwd;
  const value = declaration.isPath === true && typeof parsed === 'string' ? resolve(base, parsed) : parsed;
  return { name, value: value as Settings[SettingName], origin, source };
};

/** Every setting with its origin. @throws invalid_setting (with what was expected), invalid_file */
export const readSettingOrigins = (
  sources: SettingSources,
  { passOverUnknown = false }: ReadingOptions = {},
): readonly SettingReading[] => {
  const files = settingFiles(sources);
  if (!passOverUnknown) for (const file of [files.project, files.user]) requireKnownKeys(file);
  return settingNames.map((name) => readOne(name, candidateOf(name, sources, files), sources));
};

/** The value of every setting. @throws invalid_setting, invalid_file */
export const readSettings = (sources: SettingSources, options: ReadingOptions = {}): Settings =>
  Object.fromEntries(
    readSettingOrigins(sources, options).map(({ name, value }) => [name, value]),
  ) as unknown as Settings;
