/** Keys of settings files, and variables, that are no setting: mostly typing errors, each with what may be meant. */
import { nearestName } from '../nearest-name.js';
import type { UnknownSetting } from '../operation/ports/surroundings.js';
import {
  isSecretName,
  SETTINGS,
  settingFiles,
  settingNames,
  variableOf,
  type SettingSources,
} from './settings.js';

const VARIABLE = /^TREASURY_/;

/**
 * Everything that is given as a setting and is none.
 *
 * @throws invalid_file for a settings file that cannot be read
 */
export const findUnknownSettings = (sources: SettingSources): readonly UnknownSetting[] => {
  const variables: readonly string[] = settingNames.map(variableOf);
  const { project, user } = settingFiles(sources);
  const inFiles = [project, user].flatMap((file) =>
    Object.keys(file?.values ?? {})
      .filter((name) => !Object.hasOwn(SETTINGS, name))
      .map((name) => ({ name, file: file?.path ?? null, known: settingNames })),
  );
  const inEnvironment = Object.keys(sources.env)
    .filter((name) => VARIABLE.test(name) && !variables.includes(name) && sources.env[name] !== undefined)
    .sort()
    .map((name) => ({ name, file: null, known: variables }));
  return [...inFiles, ...inEnvironment].map(({ name, file, known }) => ({
    name,
    file,
    nearest: nearestName(name, known),
    isSecret: isSecretName(name),
  }));
};
