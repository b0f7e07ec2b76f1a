/** The folder of a home on a network. */
import { TreasuryError } from '../errors.js';
import { writing } from '../storage-failure.js';
import { files } from './machine.js';

/** What the file system answers where no folder can be, whoever asks. */
const NO_PLACE: readonly string[] = ['ENOTDIR', 'EEXIST', 'ENOENT', 'ENAMETOOLONG', 'ELOOP', 'EINVAL'];

/** Makes the folder of a network in a home. @throws invalid_setting, storage_full, storage_read_only */
export const makeHomeFolder = (home: string, folder: string): void => {
  try {
    writing(folder, () => {
      files().makeFolder(folder);
    });
  } catch (error) {
    const { code = '', path = folder } = error as NodeJS.ErrnoException;
    if (!NO_PLACE.includes(code)) throw error;
    const expected = `a folder, or where one can be made (${code} at ${path})`;
    throw new TreasuryError('invalid_setting', { setting: 'home', value: home, expected }, { cause: error });
  }
};
