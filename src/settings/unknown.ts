/** Keys of settings files, and variables, that are no setting: mostly typing errors, each with what may be meant. */
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

/** How many letters have to be put in, left out, replaced or swapped with their neighbour to make one word of another. */
const distance = (from: string, to: string): number => {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row += 1) {
    rows[row] = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(from.length, to.length);
};

/** The name that is most like one that is none; null when nothing is. Case does not count. */
export const nearestName = (name: string, known: readonly string[]): string | null => {
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  return best !== undefined && best.steps <= Math.max(2, Math.floor(name.length / 4)) ? best.candidate : null;
};

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
