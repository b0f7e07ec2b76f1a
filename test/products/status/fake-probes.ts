/** Probes that a test answers, and counts. */
import type { ProbesPort, WebProbe, WorkerName } from '../../../src/operation/ports/probes.js';

export type FakeProbes = ProbesPort & {
  /** How often each probe was made. */
  readonly made: Record<string, number>;
  /** Moves its clock on, milliseconds. */
  readonly pass: (milliseconds: number) => void;
};

export const well: WebProbe = { kind: 'answered', httpStatus: 200, latencyMs: 3, reported: 'healthy' };

/** Every probe is well, unless `answers` says otherwise. */
export const fakeProbes = (
  answers: Partial<Record<string, WebProbe>> = {},
  beats: Partial<Record<WorkerName, number>> = {},
): FakeProbes => {
  let elapsed = 0;
  const made: Record<string, number> = {};
  const answer = (name: string): Promise<WebProbe> => {
    made[name] = (made[name] ?? 0) + 1;
    const found = answers[name];
    return Promise.resolve(found === undefined ? well : found);
  };
  return {
    made,
    pass: (milliseconds) => {
      elapsed += milliseconds;
    },
    page: answer,
    indexer: () => answer('indexer'),
    limits: { chain: 200, database: 100 },
    explorerLink: (address) => `https://explorer.example/address/${address}`,
    beat: () => undefined,
    sinceBeat: (worker) => beats[worker] ?? null,
    elapsed: () => elapsed,
  };
};
