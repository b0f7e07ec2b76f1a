/** Loaded before a server that is measured: tells its parent how long its event loop was held, and what CPU it has used. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a measured process says of itself since it was asked last. */
export type Watched = {
  /** The longest hold of the event loop, milliseconds. */
  readonly held: number;
  /** CPU since the process began, milliseconds. */
  readonly cpu: number;
};

const RESOLUTION = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();

process.on('message', (message) => {
  if (message !== 'watched') return;
  const { user, system } = process.cpuUsage();
  const watched: Watched = { held: Math.max(0, delay.max / 1e6 - RESOLUTION), cpu: (user + system) / 1_000 };
  delay.reset();
  process.send?.({ watched });
});
// Being asked is no reason to stay.
process.channel?.unref();
