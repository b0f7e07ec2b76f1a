/** Tells the log how the service feels: that it starts and stops, and what `treasury status` says when that changes. */
import type { Context } from '../operation/context.js';
import { tellEvent } from '../record/event-log.js';
import type { Worker } from './start-daemon.js';

/** The part of a report of the service's health that this needs. */
export type Health = {
  readonly overall: string;
  readonly components: readonly { readonly id: string; readonly status: string }[];
};

export type ServiceTellerOptions = {
  readonly context: Context;
  readonly health: () => Promise<Health>;
  /** How often the health is looked at, milliseconds; default half a minute. */
  readonly tickMs?: number;
};

const TICK_MS = 30_000;

/** What is not known, or being looked after, is no degradation. */
const WELL: readonly string[] = ['operational', 'unknown', 'maintenance'];

/** The worker. What cannot be told, because the disk takes nothing, stops nothing. */
export const serviceTeller = ({ context, health, tickMs = TICK_MS }: ServiceTellerOptions): Worker => {
  const { store, clock, log, program, network } = context;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let overall = 'operational';

  const tell = async (event: string, data: Readonly<Record<string, unknown>>): Promise<void> => {
    const time = clock.now();
    await store.transaction((writer) =>
      tellEvent(writer, { type: `service.${event}`, time, subject: null, data: { ...data } }),
    );
  };
  const tried = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      log.error({ err: error }, 'how the service is could not be told');
    });

  const look = async (): Promise<void> => {
    const report = await health();
    if (report.overall === overall) return;
    const isWell = WELL.includes(report.overall);
    const wasWell = WELL.includes(overall);
    const components = report.components
      .filter(({ status }) => !WELL.includes(status))
      .map(({ id, status }) => ({ id, status }));
    if (!isWell) await tell('degraded', { overall: report.overall, components });
    else if (!wasWell) await tell('recovered', { overall: report.overall });
    overall = report.overall;
  };
  const lookOnce = (): Promise<void> =>
    (looking ??= tried(look()).finally(() => {
      looking = null;
    }));

  return {
    name: 'service teller',
    start: async () => {
      timer = setInterval(() => void lookOnce(), tickMs).unref();
      await tried(tell('started', { version: program.version, network }));
    },
    stop: async () => {
      clearInterval(timer);
      await looking;
      await tried(tell('stopped', { version: program.version }));
    },
  };
};
