/**
 * Where the page of a home is served: a file of the home, which a daemon writes once it answers and takes away when it stops. It
 * names the process that wrote it as a lock does, and is believed while that runs: a daemon that was killed serves nothing.
 */
import { join } from 'node:path';
import type { ServedPage } from '../operation/ports/served-page.js';
import { files, machine, type ProcessName } from './machine.js';
import { writeWholeAtOnce } from './whole-file.js';

const FILE = 'served-page.json';

type Note = { readonly url: string; readonly by: ProcessName };

const isText = (value: unknown): value is string => typeof value === 'string';

/** Null for what no daemon has written. */
const readNote = (path: string): Note | null => {
  try {
    const { url, by } = JSON.parse(files().readWhole(path).toString('utf8')) as Partial<Note>;
    const isNamed =
      by !== undefined &&
      Number.isSafeInteger(by.pid) &&
      by.pid > 0 &&
      [by.startTicks, by.bootId].every((part) => part === null || isText(part));
    return isNamed && isText(url) && /^http:\/\/[\w.[\]:]+$/.test(url) && URL.canParse(url)
      ? { url, by }
      : null;
  } catch {
    return null;
  }
};

const isOwn = ({ by }: Note): boolean =>
  (['pid', 'startTicks', 'bootId'] as const).every((part) => by[part] === machine().self[part]);

/** @param folder of the network in a home */
export const servedPageOf = (folder: string): ServedPage => {
  const path = join(folder, FILE);
  return {
    keep: (url) => {
      const note: Note = { url, by: machine().self };
      writeWholeAtOnce(path, JSON.stringify(note));
    },
    forget: () => {
      const note = readNote(path);
      if (note !== null && isOwn(note)) files().remove(path);
    },
    url: () => {
      const note = readNote(path);
      return note === null || machine().isGone(note.by) ? null : note.url;
    },
  };
};
