/** Faults that the program had, or could have: the simulator must find each of them. */
import type { Change } from './bundle.js';

export type Mutant = {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Worlds of this seed are tried until it is found. */
  readonly seed: string;
  /** The first of them: one in which it was found. */
  readonly from: number;
  readonly length: number;
  /** The kinds of entries that lead there; empty: all of them. */
  readonly focus: string;
  /** What the time between two entries is multiplied with. */
  readonly pace: number;
  /** Its worlds have their records on PostgreSQL. */
  readonly isOnPostgres?: true;
};

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'pending-step-without-its-record',
    changes: [
      { file: 'src/record/pending-steps.ts', from: 'record: record?.id ?? null,', to: 'record: null,' },
    ],
    seed: 'g1',
    from: 0,
    length: 60,
    focus: 'create*2,command*6',
    pace: 0.1,
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
    seed: 'g1',
    from: 0,
    length: 40,
    focus: '',
    pace: 1,
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
        file: 'src/daemon/monitor/told-reorgs.ts',
        from: 'queue.addRebuild(id);',
        to: '',
      },
    ],
    seed: 'm2',
    from: 0,
    length: 50,
    focus: 'create,fund,act,mine,reorganise*4,evict*2,startDaemon',
    pace: 1,
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
    from: 3,
    length: 50,
    focus: 'create,kill*2,troubleWire*2,startDaemon',
    pace: 1,
  },
  {
    name: 'refused-step-dropped',
    changes: [
      {
        file: 'src/cli/sign-step.ts',
        from: 'if (COIN_REFUSALS.includes(error.code) && (await isBeaten(transaction, context))) return error;',
        to: 'if (!COIN_REFUSALS.includes(error.code) || (await isBeaten(transaction, context))) return error;',
      },
    ],
    seed: 'r1',
    from: 15,
    length: 60,
    focus: 'command*6,troubleServer*6,receive*3,mine',
    pace: 0.3,
  },
  {
    name: 'witness-not-withdrawn',
    changes: [
      {
        file: 'src/offer/witness/worker.ts',
        from: 'const failures = await withdrawWitnesses(own, isStarting ? { olderThanSeconds: 0 } : {});',
        to: 'const failures = await Promise.resolve(0);',
      },
    ],
    seed: 'm3',
    from: 0,
    length: 60,
    focus: 'create,fund*2,keep*10,mine,startDaemon',
    pace: 1,
  },
  {
    name: 'lock-not-honoured',
    changes: [{ file: 'src/adapters/file-lock.ts', from: 'files().link(claimFileOf(path), path);', to: '' }],
    seed: 'm3',
    from: 0,
    length: 60,
    focus: 'create*2,fund,act,command*2,startDaemon',
    pace: 0.1,
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
    seed: 'm2',
    from: 0,
    length: 40,
    focus: 'create,command,kill*2,startDaemon',
    pace: 1,
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
    from: 2,
    length: 60,
    focus: 'create*2,fund*8,resend*4,receive*6',
    pace: 0.3,
  },
  {
    name: 'event-not-in-the-commit-of-its-record',
    changes: [
      {
        file: 'src/record/event-log.ts',
        from: '  writer.append(eventLog, {',
        to: '  if (event.txHash == null || last % 5 !== 4) writer.append(eventLog, {',
      },
    ],
    seed: 'v1',
    from: 0,
    length: 40,
    focus: 'create*2,fund*2,act,mine,follow,startDaemon',
    pace: 1,
  },
  {
    name: 'event-not-withdrawn',
    changes: [{ file: 'src/record/events.ts', from: '  await tellGone(writer, event, at);', to: '' }],
    seed: 'v1',
    from: 6,
    length: 50,
    focus: 'create*2,fund*2,act,mine,reorganise*4,evict*2,startDaemon',
    pace: 1,
  },
  {
    name: 'webhook-moved-on-before-its-delivery',
    changes: [
      {
        file: 'src/daemon/webhooks/webhook-worker.ts',
        from: "import { eventsFor } from './events-for.js';",
        to: "import { endOfLog } from '../../record/webhooks/backlog.js';\nimport { eventsFor } from './events-for.js';",
      },
      {
        file: 'src/daemon/webhooks/webhook-worker.ts',
        from: 'const turn = await readTurn(webhook.id, sending.store);',
        to: 'const turn = await readTurn(webhook.id, sending.store);\n    if (turn !== null) await passOver(webhook.id, turn.cursor, await endOfLog(sending.store), sending);',
      },
    ],
    seed: 'v1',
    from: 1,
    length: 60,
    focus: 'create*2,fund*2,act,mine,kill*6,startDaemon*2,troubleReceiver*3',
    pace: 0.5,
  },
  {
    name: 'maximum-of-a-key-not-reserved',
    changes: [
      {
        file: 'src/operation/script-keys/spending.ts',
        from: '      writer.put(keyBuildCollection, row);\n    });\n    taken',
        to: '    });\n    taken',
      },
    ],
    seed: 'v1',
    from: 6,
    length: 100,
    focus: 'create,script*6,startDaemon',
    pace: 0.3,
  },
  {
    name: 'answered-before-its-commit',
    changes: [
      {
        file: 'src/adapters/postgres/transactions.ts',
        from: '    const answers = await allOf(sent);',
        to: "    const answers = [{ command: 'COMMIT' }];\n    for (const one of sent) one.catch(() => undefined);",
      },
    ],
    seed: 'd1',
    from: 0,
    length: 24,
    focus: 'create*4,cutWire*3,startDaemon',
    pace: 0.3,
    isOnPostgres: true,
  },
];
