/** Who may read the files of the home: their owner, and nobody else. */
import type { FileFacts } from '../../operation/ports/surroundings.js';
import type { Check } from './check.js';
import { ok, problem, shellWord, warning, type Finding } from './finding.js';

/** The bits of everybody but the owner. */
const OTHERS = 0o077;
const EXPECTED = { file: '600', folder: '700' } as const;

const isOpen = ({ mode }: FileFacts): boolean => mode !== null && (mode & OTHERS) !== 0;

const openFinding = ({ path, kind, mode, isSecret }: FileFacts): Finding => {
  const detail = `${path} has mode ${(mode ?? 0).toString(8).padStart(4, '0')}: others than its owner may use it`;
  const advice = `chmod ${EXPECTED[kind]} ${shellWord(path)}`;
  return isSecret ? problem(`${detail}, and it holds keys or a secret`, advice) : warning(detail, advice);
};

export const permissions: Check = {
  name: 'permissions',
  needs: ['folder'],
  look: ({ surroundings: { files } }) => {
    if (files.every(({ mode }) => mode === null)) return [ok('this system keeps no modes of files')];
    const open = files.filter(isOpen);
    return open.length === 0
      ? [ok(`${files.length} files and folders are their owner's alone`)]
      : open.map(openFinding);
  },
};
