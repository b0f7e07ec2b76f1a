import test from 'ava';
import { register } from 'prom-client';
import { openPrometheusMeters } from '../../../src/adapters/meters/prometheus-meters.js';
import { metricRows, type HttpMeters, type MetersPort } from '../../../src/operation/ports/meters.js';

const open = (): MetersPort & { readonly http: HttpMeters } => {
  const meters = openPrometheusMeters({ version: '9.9.9', network: 'local' });
  if (meters.http === null) throw new Error('it shows nothing');
  return { ...meters, http: meters.http };
};

/** The value of one series; undefined where it is not shown. */
const valueOf = async (
  { http }: { readonly http: HttpMeters },
  series: string,
): Promise<string | undefined> => {
  const { text } = await http.report();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line?.slice(series.length + 1);
};

test('meters › given nothing yet › every declared metric is announced with its kind and its help', async (t) => {
  const { text } = await open().http.report();
  for (const { metric, kind, help } of metricRows) {
    t.true(text.includes(`# HELP ${metric} ${help}\n# TYPE ${metric} ${kind}\n`), metric);
  }
});

test('meters › given nothing yet › counters are 0, and gauges are not shown', async (t) => {
  const meters = open();
  t.is(await valueOf(meters, 'treasury_chain_reorgs_total'), '0');
  t.is(await valueOf(meters, 'treasury_chain_height'), undefined);
});

test('meters › given counts › they add up', async (t) => {
  const meters = open();
  meters.count('chain_reorgs');
  meters.count('chain_reorgs');
  meters.count('records_followed', 5);
  t.is(await valueOf(meters, 'treasury_chain_reorgs_total'), '2');
  t.is(await valueOf(meters, 'treasury_records_followed_total'), '5');
});

test('meters › given a gauge that is set twice › the last value stands', async (t) => {
  const meters = open();
  meters.set('records_waiting', 7);
  meters.set('records_waiting', 0);
  t.is(await valueOf(meters, 'treasury_records_waiting'), '0');
});

test('meters › given a request › it is in flight until it has ended, then counted and timed', async (t) => {
  const meters = open();
  const end = meters.http.begin();
  t.is(await valueOf(meters, 'http_requests_in_flight'), '1');
  end({ method: 'GET', route: '/api/things/:id', status: '200', seconds: 0.02 });
  t.is(await valueOf(meters, 'http_requests_in_flight'), '0');
  t.is(await valueOf(meters, 'http_requests_total{method="GET",route="/api/things/:id",status="200"}'), '1');
  const bucket = (le: string) =>
    valueOf(meters, `http_request_duration_seconds_bucket{le="${le}",method="GET",route="/api/things/:id"}`);
  t.is(await bucket('0.01'), '0');
  t.is(await bucket('0.025'), '1');
});

test('meters › given the process › memory and event loop lag are shown', async (t) => {
  const { text } = await open().http.report();
  t.regex(text, /^process_resident_memory_bytes \d+$/m);
  t.regex(text, /^nodejs_eventloop_lag_p99_seconds /m);
});

test('meters › given a version and a network › they are labels of a constant', async (t) => {
  t.is(await valueOf(open(), 'treasury_build_info{version="9.9.9",network="local"}'), '1');
});

test('meters › given two apps › each has its own figures, and none are global', async (t) => {
  const [one, other] = [open(), open()];
  one.count('chain_reorgs');
  t.is(await valueOf(one, 'treasury_chain_reorgs_total'), '1');
  t.is(await valueOf(other, 'treasury_chain_reorgs_total'), '0');
  t.deepEqual(register.getMetricsAsArray(), []);
});
