/** Faults that the program had, or could have: the simulator must find each of them. */
import type { Change } from './bundle.js';

export type Mutant = {
  readonly name: string;
  readonly changes: readonly Change[];
  /** The world in which it is found. */
  readonly seed: string;
  readonly world: number;
  readonly length: number;
  /** The kinds of entries that lead there; empty: all of them. */
  readonly focus: string;
};

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'pending-step-without-its-record',
    changes: [
      { file: 'src/record/pending-steps.ts', from: 'record: record?.id ?? null,', to: 'record: null,' },
    ],
    seed: 'g1',
    world: 16,
    length: 60,
    focus: 'create,command,kill,startDaemon',
  },
  {
    name: 'confirm-counted-twice',
    changes: [
      {
        file: 'src/record/events.ts',
        from: 'const id = moveId(subject.entityId, move);',
        to: 'const id = moveId(subject.entityId, { ...move, txHash: `${move.txHash} ${subject.now}` });',
      },
    ],
    seed: 'f1',
    world: 0,
    length: 40,
    focus: '',
  },
  {
    name: 'reorganisation-ignored',
    changes: [
      {
        file: 'src/record/follow.ts',
        from: 'if (found === null) return { hasVanished: true, changed: [] };',
        to: 'if (found === null) continue;',
      },
      {
        file: 'src/daemon/monitor/chain-monitor.ts',
        from: 'for (const id of await list.above(forkHeight)) queue.addRebuild(id);',
        to: '',
      },
    ],
    seed: 'f1',
    world: 48,
    length: 50,
    focus: 'create,fund,act,mine,reorganise,startDaemon',
  },
  {
    name: 'key-stored-after-its-record',
    changes: [
      {
        file: 'src/http/operation-handler.ts',
        from: 'keepAnswer: (writer, reply) => keep(writer, answered(reply)),',
        to: '',
      },
    ],
    seed: 'g1',
    world: 2,
    length: 50,
    focus: 'create,kill,troubleWire,startDaemon',
  },
  {
    name: 'witness-not-withdrawn',
    changes: [
      {
        file: 'src/offer/witness/worker.ts',
        from: 'const failures = await withdrawWitnesses(context, isStarting ? { olderThanSeconds: 0 } : {});',
        to: 'const failures = await Promise.resolve(0);',
      },
    ],
    seed: 'f1',
    world: 5,
    length: 60,
    focus: 'create,fund,act,startDaemon',
  },
  {
    name: 'lock-not-honoured',
    changes: [{ file: 'src/adapters/file-lock.ts', from: 'files().link(plateOf(path), path);', to: '' }],
    seed: 'f1',
    world: 27,
    length: 60,
    focus: 'create,fund,act,command,startDaemon',
  },
  {
    name: 'journal-not-synced',
    changes: [
      {
        file: 'src/adapters/journal.ts',
        from: '    writeBytes(file.fd, bytes, file.offset);\n    await files().syncData(file.fd);',
        to: '    writeBytes(file.fd, bytes, file.offset);\n    await Promise.resolve();',
      },
    ],
    seed: 'f1',
    world: 0,
    length: 40,
    focus: 'create,command,kill,startDaemon',
  },
  {
    name: 'funding-without-its-pin',
    changes: [
      {
        file: 'src/offer/funding-pins.ts',
        from: '    pinned: pinned ?? null,\n    known,',
        to: '    pinned: null,\n    known: null,',
      },
      {
        file: 'src/offer/funding-pins.ts',
        from: '  const { id, label, record, isLease = true } = subject;\n',
        to: '  const { id, label, record, isLease = true } = subject;\n  if (coin !== null) return true;\n',
      },
    ],
    seed: 'g1',
    world: 19,
    length: 60,
    focus: 'create,fund,resend,receive,mine',
  },
];
