/** What runs beside the HTTP face of a service, in the order in which it is started. */
import type { App } from '../app.js';
import { witnessWorker } from '../offer/witness/offer.js';
import { loadHealth, loadTimetables } from '../products/index.js';
import { chainMonitor } from './monitor/chain-monitor.js';
import { serviceTeller } from './service-teller.js';
import type { Worker } from './start-daemon.js';
import { timeTeller } from './time/time-teller.js';
import { webhookWorker } from './webhooks/webhook-worker.js';

/** The workers of a service. */
export const workersOf = async (app: App): Promise<readonly Worker[]> => {
  const { context } = app;
  const [timetables, takeSnapshot] = await Promise.all([loadTimetables(), loadHealth()]);
  return [
    serviceTeller({ context, health: () => takeSnapshot(context) }),
    witnessWorker(context),
    await chainMonitor(app),
    timeTeller({ context, timetables }),
    webhookWorker({ context, told: app.deployables.map(({ told }) => told) }),
  ];
};
