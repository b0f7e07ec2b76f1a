/** Processes on one disk in memory, each of which can be made to die at any use of a file; and a disk that loses power. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { chooseMachine, machine, type Files, type Machine } from '../../../src/adapters/machine.js';
import { createDisk, type Disk } from '../../simulate/disk.js';
import type { Random } from '../../simulate/random.js';

const thisMachine = machine();
const running = new AsyncLocalStorage<Machine>();
chooseMachine(() => running.getStore() ?? thisMachine);

export class Died extends Error {}

export type Mortal = {
  /** Runs something as this process. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  readonly isAlive: () => boolean;
  readonly die: () => void;
  /** How often it has used its files. */
  readonly uses: () => number;
};

export type MortalHost = {
  readonly disk: Disk;
  /** @param diesAt - the use of a file at which it dies, before it or half-way through a write; never by default */
  readonly start: (diesAt?: number) => Mortal;
  readonly cutPower: (random: Random) => void;
};

export const createMortalHost = (): MortalHost => {
  const disk = createDisk(() => 0);
  const living = new Set<number>();
  let pids = 0;
  const start = (diesAt = Infinity): Mortal => {
    pids += 1;
    const pid = pids;
    let uses = 0;
    living.add(pid);
    const refuseDead = (): void => {
      if (!living.has(pid)) throw new Died();
    };
    const use = <A extends unknown[], T>(call: (...args: A) => T, part?: (...args: A) => unknown) => {
      return (...args: A): T => {
        refuseDead();
        uses += 1;
        if (uses < diesAt) return call(...args);
        part?.(...args);
        living.delete(pid);
        throw new Died();
      };
    };
    const half: Disk['write'] = (fd, bytes, offset, position) =>
      disk.write(fd, bytes.subarray(0, offset + Math.ceil((bytes.length - offset) / 2)), offset, position);
    const sync = use((fd: number) => {
      disk.sync(fd);
    });
    const files: Files = {
      exists: use(disk.exists),
      stat: use(disk.stat),
      glance: use(disk.stat),
      statOpen: use(disk.statOpen),
      list: use(disk.list),
      makeFolder: use(disk.makeFolder),
      readWhole: use(disk.readWhole),
      open: use(disk.open),
      close: use(disk.close),
      read: use(disk.read),
      write: use(disk.write, half),
      truncate: use(disk.truncate),
      sync,
      syncData: async (fd) => {
        await new Promise(setImmediate);
        sync(fd);
      },
      syncFolder: use(disk.syncFolder),
      link: use(disk.link),
      rename: use(disk.rename),
      remove: use(disk.remove),
    };
    const self = { pid, startTicks: '1', bootId: 'boot' };
    const own: Machine = { files, self, isGone: (name) => !living.has(name.pid) };
    return {
      run: (work) => running.run(own, work),
      isAlive: () => living.has(pid),
      die: () => living.delete(pid),
      uses: () => uses,
    };
  };
  return {
    disk,
    start,
    cutPower: (random) => {
      living.clear();
      disk.cutPower(random);
    },
  };
};
