/** Files that people write and this program reads whole, such as the rules of a keeper. */

export type TextFilesPort = {
  /** The text of a file. @throws what the file system answers, such as ENOENT */
  readonly read: (path: string) => string;
  /** True where everybody on the machine can write to it; where the system keeps no such bits, nobody is known to. */
  readonly isOpenToAll: (path: string) => boolean;
  /** Makes a file that is not there yet, for its owner alone. @throws what the file system answers, such as EEXIST */
  readonly writeNew: (path: string, text: string) => void;
};
