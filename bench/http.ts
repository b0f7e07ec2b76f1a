/** What the HTTP face costs, without metrics and with them: requests a second of a trivial operation against bare Polka, in the same run. */
import { once } from 'node:events';
import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import polka from 'polka';
import { z } from 'zod';
import { noMeters, type MetersPort } from '../src/operation/ports/meters.js';
import { openPrometheusMeters } from '../src/adapters/meters/prometheus-meters.js';
import { createFace } from '../src/http/server.js';
import type { Context } from '../src/operation/context.js';
import { defineOperation } from '../src/operation/define.js';

const CONNECTIONS = 8;
const REQUESTS_PER_ROUND = 3_000;
const ROUNDS = 4;

/** Requests a second, the best round of each. */
export type HttpBench = {
  readonly face: number;
  /** The face with metrics. */
  readonly metered: number;
  readonly barePolka: number;
  /** `face / barePolka`. */
  readonly ratio: number;
  /** `metered / face`. */
  readonly meteredRatio: number;
};

const trivial = defineOperation({
  id: 'bench.show',
  summary: 'Answer what was asked for',
  http: { method: 'GET', path: '/api/bench/:id' },
  auth: 'none',
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string() }),
  errors: [],
  run: ({ id }) => Promise.resolve({ id }),
});

const silent = () => undefined;
const log = { info: silent, warn: silent, error: silent };

const faceHandler = (meters: MetersPort) => {
  let ids = 0;
  // The trivial operation touches no port but the store's refresh.
  const context = {
    network: 'local',
    store: { refresh: () => Promise.resolve() },
    uuid: () => String((ids += 1)),
    meters,
    log,
  } as unknown as Context;
  return createFace({
    app: { context, operations: [trivial] },
    version: '0.0.0',
    log,
    loopback: true,
    trustAddressHeader: true,
    corsOrigins: [],
    ratePerMinute: 0,
  }).handle;
};

const bareHandler = () => {
  const app = polka().get('/api/bench/:id', (request, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ success: true, id: request.params['id'] }));
  });
  return app.handler as ReturnType<typeof faceHandler>;
};

const ask = async (url: string, agent: Agent): Promise<void> => {
  const request = get(url, { agent });
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  response.resume();
  await once(response, 'end');
};

/** Requests a second of one round. */
const measureRound = async (server: Server, agent: Agent): Promise<number> => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/bench/7`;
  let left = REQUESTS_PER_ROUND;
  const startedAt = performance.now();
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await ask(url, agent);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return REQUESTS_PER_ROUND / ((performance.now() - startedAt) / 1000);
};

/** Measures them in turns, so that what else the machine does strikes all alike; prints and returns the result. */
export const benchHttp = async (): Promise<HttpBench> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const meters = openPrometheusMeters({ version: '0.0.0', network: 'local' });
  const servers = [
    createServer(faceHandler(noMeters)),
    createServer(faceHandler(meters)),
    createServer(bareHandler()),
  ] as const;
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const best: [face: number, metered: number, barePolka: number] = [0, 0, 0];
  try {
    // The first round warms up and does not count.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const which of [0, 1, 2] as const) {
        const rate = await measureRound(servers[which], agent);
        if (round > 0) best[which] = Math.max(best[which], rate);
      }
    }
  } finally {
    agent.destroy();
    for (const server of servers) server.close();
  }
  const [face, metered, barePolka] = best;
  const result: HttpBench = {
    face: Math.round(face),
    metered: Math.round(metered),
    barePolka: Math.round(barePolka),
    ratio: face / barePolka,
    meteredRatio: metered / face,
  };
  console.log(
    `http: ${result.face} requests/s through the face, ${result.barePolka} through bare Polka: ratio ${result.ratio.toFixed(2)}`,
  );
  console.log(
    `http: ${result.metered} requests/s through the face with metrics: ratio ${result.meteredRatio.toFixed(2)} to the face without`,
  );
  return result;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await benchHttp();
