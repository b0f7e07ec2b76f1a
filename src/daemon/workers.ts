/** What runs beside the HTTP face of a service, in the order in which it is started. */
import type { App } from '../app.js';
import { witnessWorker } from '../offer/witness/offer.js';
import { loadHealth, loadTimetables } from '../products/index.js';
import { WORKERS } from '../record/works.js';
import { chainMonitor } from './monitor/chain-monitor.js';
import { serviceTeller } from './service-teller.js';
import type { Sharing } from './sharing/share.js';
import type { Worker } from './start-daemon.js';
import { timeTeller } from './time/time-teller.js';
import { webhookWorker } from './webhooks/webhook-worker.js';

/** The workers of a service: first the one that keeps its share of the work, by which the others go. */
export const workersOf = async (app: App, share: Sharing): Promise<readonly Worker[]> => {
  const { context } = app;
  const witnessTurn = () => {
    const store = share.storeFor(WORKERS.witnesses);
    return store === null ? null : { store, isAlone: share.isAlone() };
  };
  const [timetables, takeSnapshot] = await Promise.all([loadTimetables(), loadHealth()]);
  return [
    share,
    serviceTeller({ context, share, health: () => takeSnapshot(context) }),
    witnessWorker(context, witnessTurn),
    chainMonitor({ ...app, share }),
    timeTeller({ context, share, timetables }),
    webhookWorker({
      context,
      share,
      onUnknown: share.look,
      told: app.deployables.map(({ told }) => told),
    }),
  ];
};
