/** A machine with a disk, and the processes on it: each has a number of its own, and can be killed at any use of a file. */
import type { Files, ProcessName } from '../../src/adapters/machine.js';
import { createDisk, errno, type Disk } from './disk.js';
import type { Random } from './random.js';
import type { Owner, Timeline } from './timeline.js';

/** Thrown out of what a process that was killed does next. */
export class Killed extends Error {
  constructor(who: string) {
    super(`${who} was killed`);
  }
}

export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Ends a process when it has used its files that often. */
export type Fate = { left: number; readonly isPowerCut: boolean; readonly isAfter: boolean };

export type SimProcess = Owner & {
  readonly name: string;
  readonly pid: number;
  readonly kill: () => void;
  /**
   * One use of something outside of it, where it may be killed: before it or after it.
   * @throws Killed
   */
  readonly use: <T>(call: string, work: () => T) => T;
  fate: Fate | null;
  skew: number;
  /** It stands still for so long, milliseconds. */
  readonly freeze: (milliseconds: number) => void;
};

export type Host = {
  readonly disk: Disk;
  readonly start: (name: string) => SimProcess;
  readonly living: () => readonly SimProcess[];
  /** Ends every process and loses what was not synced. */
  readonly cutPower: () => void;
  /** Nothing can be written while it is true. */
  isReadOnly: boolean;
};

/** What the host tells. */
export type HostEvents = {
  readonly onKilled: (process: SimProcess, call: string, isPowerCut: boolean) => void;
};

/** Calls that change something on disk. */
const WRITES = new Set(['write', 'truncate', 'link', 'rename', 'remove']);

export const createHost = (timeline: Timeline, random: Random, { onKilled }: HostEvents): Host => {
  const disk = createDisk(timeline.now);
  const processes = new Map<string, SimProcess>();
  /** What a disk takes for a sync, most of the time: some are slow. */
  const syncMs = random.pick([3, 3, 3, 150]);
  let pids = 100;
  let boots = 1;

  const keyOf = ({ pid, startTicks, bootId }: ProcessName): string =>
    `${pid} ${startTicks ?? ''} ${bootId ?? ''}`;
  const cutPower = (): void => {
    for (const process of [...processes.values()]) process.kill();
    boots += 1;
    disk.cutPower(random);
  };

  const host: Host = {
    disk,
    isReadOnly: false,
    cutPower,
    living: () => [...processes.values()],
    start: (name) => {
      // Numbers come again, as those of processes do.
      pids = 100 + ((pids + 1 - 100) % 40);
      let isAlive = true;
      let frozenUntil = 0;
      const self: ProcessName = { pid: pids, startTicks: String(timeline.events()), bootId: `boot ${boots}` };

      const end = (call: string, isPowerCut: boolean): never => {
        onKilled(process, call, isPowerCut);
        if (isPowerCut) cutPower();
        else process.kill();
        throw new Killed(name);
      };
      const use = <T>(call: string, work: () => T): T => {
        if (!isAlive) throw new Killed(name);
        if (host.isReadOnly && WRITES.has(call)) throw errno('EROFS', call);
        const { fate } = process;
        if (fate === null) return work();
        fate.left -= 1;
        if (fate.left > 0) return work();
        process.fate = null;
        if (fate.isAfter) work();
        return end(call, fate.isPowerCut);
      };
      const files: Files = {
        exists: (path) => use('exists', () => disk.exists(path)),
        stat: (path) => use('stat', () => disk.stat(path)),
        glance: (path) => use('stat', () => disk.stat(path)),
        statOpen: (fd) => use('statOpen', () => disk.statOpen(fd)),
        list: (folder) => use('list', () => disk.list(folder)),
        makeFolder: (path) => {
          use('makeFolder', () => {
            disk.makeFolder(path);
          });
        },
        readWhole: (path) => use('readWhole', () => disk.readWhole(path)),
        open: (path, mode) => use('open', () => disk.open(path, mode)),
        close: (fd) => {
          use('close', () => {
            disk.close(fd);
          });
        },
        read: (fd, bytes, offset, position) => use('read', () => disk.read(fd, bytes, offset, position)),
        write: (fd, bytes, offset, position) => use('write', () => disk.write(fd, bytes, offset, position)),
        truncate: (fd, size) => {
          use('truncate', () => {
            disk.truncate(fd, size);
          });
        },
        sync: (fd) => {
          use('sync', () => {
            disk.sync(fd);
          });
        },
        syncData: (fd) =>
          new Promise((resolve, reject) => {
            if (!isAlive) return;
            timeline.after(
              random.chance(0.1) ? random.next() * 20 * syncMs : random.next() * syncMs,
              () => {
                try {
                  use('syncData', () => {
                    disk.sync(fd);
                  });
                  resolve();
                } catch (error) {
                  // Who was killed is not told so.
                  if (!(error instanceof Killed)) reject(asError(error));
                }
              },
              process,
            );
          }),
        syncFolder: () => {
          use('syncFolder', () => {
            disk.syncFolder();
          });
        },
        link: (from, to) => {
          use('link', () => {
            disk.link(from, to);
          });
        },
        rename: (from, to) => {
          use('rename', () => {
            disk.rename(from, to);
          });
        },
        remove: (path) => {
          use('remove', () => {
            disk.remove(path);
          });
        },
      };
      const process: SimProcess = {
        name,
        pid: self.pid,
        machine: { files, self, isGone: (other) => !processes.has(keyOf(other)) },
        isAlive: () => isAlive,
        skewMs: () => process.skew,
        skew: 0,
        frozenUntil: () => frozenUntil,
        freeze: (milliseconds) => {
          frozenUntil = timeline.now() + milliseconds;
        },
        use,
        fate: null,
        onEnd: new Set(),
        kill: () => {
          if (!isAlive) return;
          isAlive = false;
          processes.delete(keyOf(self));
          for (const end of process.onEnd) end();
        },
      };
      processes.set(keyOf(self), process);
      return process;
    },
  };
  return host;
};
