/** The database of the settings: its URL, given as such or in a file that a secret manager mounts. */
import { readFileSync } from 'node:fs';
import { messageOf, TreasuryError } from '../errors.js';
import { SETTINGS, type Settings } from './settings.js';

/** Where the records are, when they are no files of the home. */
export type DatabaseSettings = {
  /** With its password: never shown. */
  readonly url: string;
  /** Connections at most. */
  readonly connections: number;
};

const readUrlFile = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new TreasuryError('invalid_file', { file, reason: messageOf(error) });
  }
  const url = SETTINGS.databaseUrl.parse(text);
  if (typeof url === 'string') return url;
  const { expected } = SETTINGS.databaseUrl;
  throw new TreasuryError('invalid_setting', {
    setting: `the text in ${file}`,
    value: '(not shown)',
    expected,
  });
};

/** The database of some settings; null where the records are files of the home. @throws invalid_file, invalid_setting */
export const databaseOf = ({
  databaseUrl,
  databaseUrlFile,
  databaseConnections: connections,
}: Pick<Settings, 'databaseUrl' | 'databaseUrlFile' | 'databaseConnections'>): DatabaseSettings | null => {
  if (databaseUrl !== null) return { url: databaseUrl, connections };
  return databaseUrlFile === null ? null : { url: readUrlFile(databaseUrlFile), connections };
};
