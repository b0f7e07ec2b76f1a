/** The home itself: its folders, who may read its files, the room on its disk, the Node that runs this, and what is given as a setting. */
import type { FileFacts, UnknownSetting } from '../../operation/ports/surroundings.js';
import {
  bytesText,
  ok,
  problem,
  shellWord,
  warning,
  type Check,
  type Subject,
  type Finding,
} from './check.js';

/** Less free space than this is a warning, bytes. */
const LITTLE_SPACE = 100_000_000;

const folderFinding = ({ context, surroundings }: Subject): Finding => {
  const { path, folder, isThere, isFolderThere, isWritable } = surroundings.home;
  const flag = context.network === 'local' ? '' : ` --network ${context.network}`;
  const initialise = `run \`treasury${flag} init\``;
  if (!isThere) return problem(`there is no home at ${path}`, initialise);
  if (!isFolderThere) return problem(`${path} is not set up for the network ${context.network}`, initialise);
  if (!isWritable) {
    return problem(
      `${folder} cannot be written to`,
      `run this as its owner, or \`chmod u+rwx ${shellWord(folder)}\``,
    );
  }
  return ok(`${folder} is there and can be written to`);
};

const spaceFinding = (freeBytes: number): Finding =>
  freeBytes < LITTLE_SPACE
    ? warning(
        `its disk has ${bytesText(freeBytes)} left`,
        'make room: a full disk refuses every change of the store',
      )
    : ok(`its disk has ${bytesText(freeBytes)} left`);

export const home: Check = {
  name: 'home',
  needs: [],
  look: (subject) => {
    const { home: found, runtime } = subject.surroundings;
    return [
      folderFinding(subject),
      ...(found.freeBytes === null ? [] : [spaceFinding(found.freeBytes)]),
      runtime.isSupported
        ? ok(`Node ${runtime.node} is one of ${runtime.engines}`)
        : problem(`Node ${runtime.node} is not one of ${runtime.engines}`, `install Node ${runtime.engines}`),
    ];
  },
};

/** The bits of everybody but the owner. */
const OTHERS = 0o077;
const EXPECTED = { file: '600', folder: '700' } as const;

const isOpen = ({ mode }: FileFacts): boolean => mode !== null && (mode & OTHERS) !== 0;

const openFinding = ({ path, kind, mode, isSecret }: FileFacts): Finding => {
  const detail = `${path} has mode ${(mode ?? 0).toString(8).padStart(4, '0')}: others than its owner may use it`;
  const advice = `chmod ${EXPECTED[kind]} ${shellWord(path)}`;
  return isSecret ? problem(`${detail}, and it holds keys or a secret`, advice) : warning(detail, advice);
};

/** What a file that somebody else puts there may not let others do: a group that only reads is whom it is meant for. */
const TOO_OPEN = 0o027;

const secretFinding = ({ path, mode }: FileFacts): Finding => {
  const bits = mode ?? 0;
  const detail = `${path} has mode ${bits.toString(8).padStart(4, '0')}`;
  if ((bits & TOO_OPEN) === 0) return ok(`${detail}: others may not read the secret in it`);
  return warning(
    `${detail}, and a secret in it: whoever gets to it on this machine may read it`,
    `chmod 600 ${shellWord(path)}; where a container engine mounts it into a container of its own, nobody else gets to it, and it may stay`,
  );
};

export const permissions: Check = {
  name: 'permissions',
  needs: ['folder'],
  look: ({ surroundings: { files, secretFiles } }) => {
    if (files.every(({ mode }) => mode === null)) return [ok('this system keeps no modes of files')];
    const open = files.filter(isOpen);
    return [
      ...(open.length === 0
        ? [ok(`${files.length} files and folders are their owner's alone`)]
        : open.map(openFinding)),
      ...secretFiles.map(secretFinding),
    ];
  },
};

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
