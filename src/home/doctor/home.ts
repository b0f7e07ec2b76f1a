/** The home itself: its folders, the room on its disk, and the Node that runs this. */
import { bytesText, ok, problem, shellWord, warning, type Finding } from './finding.js';
import type { Check, Subject } from './check.js';

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
