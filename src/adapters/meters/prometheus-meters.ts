/** The meters port over prom-client. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  BUILD_INFO,
  COUNTERS,
  GAUGES,
  HTTP_METRICS,
  type CounterName,
  type GaugeName,
  type HttpMeters,
  type MetersPort,
} from '../../operation/ports/meters.js';

export type MetersSettings = { readonly version: string; readonly network: string };

/** Seconds. What asks the chain may take many; everything else answers in milliseconds. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const openCounters = (registers: Registry[]) => {
  const counters = new Map<CounterName, Counter>();
  for (const name of Object.keys(COUNTERS) as CounterName[]) {
    const { metric, help } = COUNTERS[name];
    counters.set(name, new Counter({ name: metric, help, registers }));
  }
  return counters;
};

const openGauges = (registers: Registry[]) => {
  const gauges = new Map<GaugeName, Gauge>();
  for (const name of Object.keys(GAUGES) as GaugeName[]) {
    const { metric, help } = GAUGES[name];
    const gauge = new Gauge({ name: metric, help, registers });
    // It would start as 0, which nobody has measured.
    gauge.remove();
    gauges.set(name, gauge);
  }
  return gauges;
};

const openHttpMeters = (registry: Registry): HttpMeters => {
  const registers = [registry];
  const { requests, duration, inFlight } = HTTP_METRICS;
  const requestCounter = new Counter({
    name: requests.metric,
    help: requests.help,
    labelNames: requests.labels,
    registers,
  });
  const durations = new Histogram({
    name: duration.metric,
    help: duration.help,
    labelNames: duration.labels,
    buckets: DURATION_BUCKETS,
    registers,
  });
  const inFlightGauge = new Gauge({ name: inFlight.metric, help: inFlight.help, registers });
  return {
    begin: () => {
      inFlightGauge.inc();
      return ({ method, route, status, seconds }) => {
        inFlightGauge.dec();
        requestCounter.inc({ method, route, status });
        durations.observe({ method, route }, seconds);
      };
    },
    report: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};

/**
 * Opens meters with a registry of their own, and with the figures of the process that every Node service gives: CPU,
 * memory, event loop lag, garbage collection.
 */
export const openPrometheusMeters = ({ version, network }: MetersSettings): MetersPort => {
  const registry = new Registry();
  const registers = [registry];
  const { metric, help, labels } = BUILD_INFO;
  new Gauge({ name: metric, help, labelNames: labels, registers }).set({ version, network }, 1);
  const counters = openCounters(registers);
  const gauges = openGauges(registers);
  const http = openHttpMeters(registry);
  collectDefaultMetrics({ register: registry });
  return {
    count: (name, by = 1) => counters.get(name)?.inc(by),
    set: (name, value) => gauges.get(name)?.set(value),
    http,
  };
};
