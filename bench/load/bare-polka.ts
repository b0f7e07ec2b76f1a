/** Polka and nothing else: answers paths with what its parent gives it, held in memory and written as JSON each time. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import polka from 'polka';

/** The routes of the daemon that are measured. */
const PATTERNS = ['/api/health', '/api/streams/templates', '/api/streams/:id', '/api/streams'];

let bodies: ReadonlyMap<string, unknown> = new Map();
process.on('message', (message: { readonly bodies?: readonly (readonly [string, string])[] }) => {
  if (message.bodies === undefined) return;
  bodies = new Map(message.bodies.map(([path, text]) => [path, JSON.parse(text) as unknown]));
  process.send?.({ port: (server.address() as AddressInfo).port });
});

const app = polka();
for (const pattern of PATTERNS)
  app.get(pattern, (request, response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(bodies.get(request.originalUrl)));
  });
const server = createServer(app.handler as RequestListener);
server.listen(0, '127.0.0.1', () => process.send?.({ isUp: true }));
