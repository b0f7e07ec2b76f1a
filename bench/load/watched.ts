/** Loaded before a server that is measured: tells its parent how long its event loop was held, and what CPU it has used. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a measured process says of itself since it was asked last. */
export type Watched = {
  /** The longest hold of the event loop, milliseconds. */
  readonly held: number;
  /**
   * The most CPU between two turns of a timer of a millisecond, milliseconds: a hold, whatever else the machine does. 0
   * before `count turns` was said.
   */
  readonly computed: number;
  /** CPU since the process began, milliseconds. */
  readonly cpu: number;
};

const RESOLUTION = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();

const cpuNow = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
let [last, computed] = [cpuNow(), 0];
/** Begins to count what is computed between two turns: that costs a tenth of a busy server, so it is asked for. */
const countTurns = (): void => {
  last = cpuNow();
  setInterval(() => {
    const now = cpuNow();
    computed = Math.max(computed, now - last);
    last = now;
  }, RESOLUTION).unref();
};

process.on('message', (message) => {
  if (message === 'count turns') countTurns();
  if (message !== 'watched') return;
  const held = Math.max(0, delay.max / 1e6 - RESOLUTION);
  const watched: Watched = { held, computed, cpu: cpuNow() };
  delay.reset();
  computed = 0;
  process.send?.({ watched });
});
// Being asked is no reason to stay.
process.channel?.unref();
