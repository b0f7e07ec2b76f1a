/** What is given as a setting and is none. */
import type { UnknownSetting } from '../../operation/ports/surroundings.js';
import type { Check } from './check.js';
import { ok, problem, warning, type Finding } from './finding.js';

const settingFinding = ({ name, file, nearest, isSecret }: UnknownSetting): Finding => {
  const meant = nearest === null ? '' : `; is it ${nearest}?`;
  if (file === null)
    return warning(`the variable ${name} is no setting${meant}`, renameAdvice(name, nearest));
  const detail = `${name} in ${file} is no setting${meant}`;
  if (isSecret) {
    return problem(
      detail,
      'take it out: a settings file holds no secret; name a file in passphraseFile instead',
    );
  }
  return problem(`${detail}, and every command refuses the file`, renameAdvice(name, nearest));
};

const renameAdvice = (name: string, nearest: string | null): string =>
  nearest === null
    ? `take ${name} out: \`treasury config list\` shows what there is`
    : `rename it to ${nearest}, or take it out`;

export const knownSettings: Check = {
  name: 'settings',
  needs: [],
  look: ({ surroundings: { unknownSettings } }) =>
    unknownSettings.length === 0
      ? [ok('every key and every TREASURY_ variable is a setting')]
      : unknownSettings.map(settingFinding),
};
