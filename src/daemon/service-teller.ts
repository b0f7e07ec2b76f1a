/** Tells the log how the service feels: that it starts and stops, and what `treasury status` says when that changes. */
import type { Context } from '../operation/context.js';
import type { StorePort, StoreReader } from '../operation/ports/store.js';
import { tellEvent } from '../record/event-log.js';
import { isLeaseLost } from '../record/leases.js';
import { toldTimeCollection } from '../record/timetable.js';
import { WORKERS } from '../record/works.js';
import { allOfIt, type Share } from './sharing/share.js';
import type { Worker } from './start-daemon.js';

/** The part of a report of the service's health that this needs. */
export type Health = {
  readonly overall: string;
  readonly components: readonly { readonly id: string; readonly status: string }[];
};

export type ServiceTellerOptions = {
  readonly context: Context;
  readonly health: () => Promise<Health>;
  /** Default: all of the work. */
  readonly share?: Share;
  /** How often the health is looked at, milliseconds; default half a minute. */
  readonly tickMs?: number;
};

const TICK_MS = 30_000;

/** What is not known, or being looked after, is no degradation. */
const WELL: readonly string[] = ['operational', 'unknown', 'maintenance'];

/** What the store knows it under. */
const TOLD = 'service';

/** How the service was told to be. */
const toldOverall = async (store: StoreReader): Promise<string> =>
  (await store.get(toldTimeCollection, TOLD))?.told['overall'] ?? 'operational';

/** The worker. What cannot be told, because the disk takes nothing, stops nothing. */
export const serviceTeller = (options: ServiceTellerOptions): Worker => {
  const { context, health, tickMs = TICK_MS } = options;
  const { store, clock, log, program, network } = context;
  const { share = allOfIt(store) } = options;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;

  const tell = async (event: string, data: Readonly<Record<string, unknown>>): Promise<void> => {
    const time = clock.now();
    await store.transaction((writer) =>
      tellEvent(writer, { type: `service.${event}`, time, subject: null, data: { ...data } }),
    );
  };
  const tried = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (!isLeaseLost(error)) log.error({ err: error }, 'how the service is could not be told');
    });

  /** Once, whichever daemon looks: how it was told to be stands in the store. */
  const tellHealth = async (
    { overall, components }: Health,
    isWell: boolean,
    under: StorePort,
  ): Promise<void> => {
    const time = clock.now();
    const ill = components.filter(({ status }) => !WELL.includes(status));
    const data = isWell
      ? { overall }
      : { overall, components: ill.map(({ id, status }) => ({ id, status })) };
    await under.transaction(async (writer) => {
      if ((await toldOverall(writer)) === overall) return;
      writer.put(toldTimeCollection, { id: TOLD, told: { overall } });
      const type = isWell ? 'service.recovered' : 'service.degraded';
      await tellEvent(writer, { type, time, subject: null, data });
    });
  };
  const look = async (): Promise<void> => {
    const under = share.storeFor(WORKERS.health);
    if (under === null) return;
    const report = await health();
    const isWell = WELL.includes(report.overall);
    const before = await toldOverall(store);
    if (report.overall !== before && !(isWell && WELL.includes(before)))
      await tellHealth(report, isWell, under);
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
