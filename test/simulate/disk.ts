/**
 * A disk in memory. What was written and not yet synced is seen by every process, and a power cut may lose it: whole
 * writes, parts of them, later ones before earlier ones. Names that were not synced are lost from the last one on.
 */
import type { FileStat, OpenMode } from '../../src/adapters/machine.js';
import type { Random } from './random.js';

const SECTOR = 512;

type Write = { readonly at: number; readonly bytes: Uint8Array } | { readonly size: number };

type Inode = {
  readonly number: bigint;
  data: Buffer;
  /** As it is on disk for certain; what was written since stands in `pending`. */
  durable: Buffer;
  pending: Write[];
  modified: bigint;
};

/** A change of names: from the first, null where it is new, to the second, null where it goes. */
type Naming = { readonly from: string | null; readonly to: string | null; readonly inode: Inode | null };

export type Disk = {
  readonly exists: (path: string) => boolean;
  readonly stat: (path: string) => FileStat | null;
  readonly statOpen: (fd: number) => FileStat;
  readonly list: (folder: string) => string[];
  readonly makeFolder: (path: string) => void;
  readonly open: (path: string, mode: OpenMode) => number;
  readonly close: (fd: number) => void;
  readonly read: (fd: number, bytes: Uint8Array, offset: number, position: number) => number;
  readonly write: (fd: number, bytes: Uint8Array, offset: number, position: number) => number;
  readonly truncate: (fd: number, size: number) => void;
  readonly sync: (fd: number) => void;
  readonly syncFolder: () => void;
  readonly link: (from: string, to: string) => void;
  readonly rename: (from: string, to: string) => void;
  readonly remove: (path: string) => void;
  readonly readWhole: (path: string) => Buffer;
  /** Loses what was not synced, as far as chance has it. */
  readonly cutPower: (random: Random) => void;
  /** Bytes that can still be written; Infinity: a disk with room. */
  room: number;
};

export const errno = (code: string, what: string, path = ''): Error =>
  Object.assign(new Error(`${code}: ${what} '${path}'`), { code, syscall: what, path });

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

const apply = (data: Buffer, write: Write): Buffer => {
  if ('size' in write) {
    const cut = Buffer.alloc(write.size);
    data.copy(cut, 0, 0, write.size);
    return cut;
  }
  const { at, bytes } = write;
  const next = Buffer.alloc(Math.max(data.length, at + bytes.length));
  data.copy(next);
  next.set(bytes, at);
  return next;
};

/** What of a write a power cut leaves. */
const tear = (write: Write, random: Random): readonly Write[] => {
  const fate = random.whole(0, 3);
  if (fate === 0) return [];
  if (fate < 3 || 'size' in write) return [write];
  const parts: Write[] = [];
  for (let from = 0; from < write.bytes.length;) {
    const to = Math.min(write.bytes.length, from + SECTOR - ((write.at + from) % SECTOR));
    if (random.chance(0.5)) parts.push({ at: write.at + from, bytes: write.bytes.subarray(from, to) });
    from = to;
  }
  return parts;
};

export const createDisk = (now: () => number): Disk => {
  const folders = new Set(['/']);
  const names = new Map<string, Inode>();
  let durableNames = new Map<string, Inode>();
  let namings: Naming[] = [];
  const opened = new Map<number, Inode>();
  let inodes = 0n;
  let fds = 10;

  const found = (path: string, what: string): Inode => {
    const inode = names.get(path);
    if (inode === undefined) throw errno('ENOENT', what, path);
    return inode;
  };
  const held = (fd: number): Inode => {
    const inode = opened.get(fd);
    if (inode === undefined) throw errno('EBADF', 'use of a file', String(fd));
    return inode;
  };
  const rename = (naming: Naming): void => {
    const { from, to, inode } = naming;
    if (from !== null) names.delete(from);
    if (to !== null && inode !== null) names.set(to, inode);
    namings.push(naming);
  };
  const toStat = ({ number, data, modified }: Inode): FileStat => ({
    inode: number,
    size: data.length,
    modifiedNs: modified,
    isOpenToAll: false,
  });
  const note = (inode: Inode, write: Write): void => {
    inode.data = apply(inode.data, write);
    inode.pending.push(write);
    inode.modified = BigInt(Math.floor(now() * 1_000_000)) + inode.number;
  };
  const sync = (inode: Inode): void => {
    inode.durable = inode.data;
    inode.pending = [];
  };

  const disk: Disk = {
    room: Infinity,
    exists: (path) => names.has(path) || folders.has(path),
    stat: (path) => {
      const inode = names.get(path);
      return inode === undefined ? null : toStat(inode);
    },
    statOpen: (fd) => toStat(held(fd)),
    list: (folder) => {
      if (!folders.has(folder)) throw errno('ENOENT', 'scandir', folder);
      return [...names.keys()]
        .filter((path) => folderOf(path) === folder)
        .map((path) => path.slice(folder.length + 1));
    },
    makeFolder: (path) => {
      for (let folder = path; folder !== '/'; folder = folderOf(folder)) folders.add(folder);
    },
    open: (path, mode) => {
      if (!folders.has(folderOf(path))) throw errno('ENOENT', 'open', path);
      let inode = names.get(path);
      if (mode === 'read') inode = found(path, 'open');
      if (mode === 'new' && inode !== undefined) throw errno('EEXIST', 'open', path);
      if (inode === undefined) {
        if (disk.room <= 0) throw errno('ENOSPC', 'open', path);
        inodes += 1n;
        inode = {
          number: inodes,
          data: Buffer.alloc(0),
          durable: Buffer.alloc(0),
          pending: [],
          modified: 0n,
        };
        rename({ from: null, to: path, inode });
      }
      fds += 1;
      opened.set(fds, inode);
      return fds;
    },
    close: (fd) => {
      held(fd);
      opened.delete(fd);
    },
    read: (fd, bytes, offset, position) =>
      held(fd).data.copy(bytes, offset, position, position + bytes.length - offset),
    write: (fd, bytes, offset, position) => {
      const inode = held(fd);
      const wanted = bytes.length - offset;
      const grows = Math.max(0, position + wanted - inode.data.length);
      const count = wanted - Math.max(0, grows - disk.room);
      if (count <= 0) throw errno('ENOSPC', 'write');
      disk.room -= Math.min(grows, disk.room);
      note(inode, { at: position, bytes: Uint8Array.from(bytes.subarray(offset, offset + count)) });
      return count;
    },
    truncate: (fd, size) => {
      note(held(fd), { size });
    },
    sync: (fd) => {
      sync(held(fd));
    },
    syncFolder: () => {
      durableNames = new Map(names);
      namings = [];
    },
    link: (from, to) => {
      const inode = found(from, 'link');
      if (names.has(to)) throw errno('EEXIST', 'link', to);
      rename({ from: null, to, inode });
    },
    rename: (from, to) => {
      rename({ from, to, inode: found(from, 'rename') });
    },
    remove: (path) => {
      if (names.has(path)) rename({ from: path, to: null, inode: null });
    },
    readWhole: (path) => Buffer.from(found(path, 'open').data),
    cutPower: (random) => {
      opened.clear();
      const kept = namings.slice(0, random.whole(0, namings.length));
      names.clear();
      for (const [path, inode] of durableNames) names.set(path, inode);
      for (const naming of kept) rename(naming);
      durableNames = new Map(names);
      namings = [];
      for (const inode of new Set(names.values())) {
        let data = inode.durable;
        for (const write of inode.pending) for (const part of tear(write, random)) data = apply(data, part);
        inode.data = data;
        sync(inode);
      }
    },
  };
  return disk;
};
