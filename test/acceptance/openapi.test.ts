/** The document that the service gives of itself. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { openTreasury } from '../treasury.js';
import { serve, type Json } from './client.js';
import { onEmbeddedChain, onEveryChain } from './on-every-chain.js';

const validTitle = 'GET /api/openapi.json › a validator accepts it, and every route is in it';

onEmbeddedChain(validTitle, 'the document is made of the operations alone', async (t) => {
  const treasury = await openTreasury(t);
  const { call } = await serve(t, treasury);
  const { status, body } = await call('GET', '/api/openapi.json');
  t.is(status, 200);
  t.is(body['openapi'], '3.1.0');
  const { valid, errors } = await new Validator().validate(structuredClone(body));
  t.true(valid, JSON.stringify(errors));
  const paths = body['paths'] as Record<string, Json>;
  for (const { http, id } of treasury.app.operations) {
    if (http === undefined) continue;
    const path = http.path.replace(/:(\w+)/g, '{$1}');
    t.truthy(paths[path]?.[http.method.toLowerCase()], `${id} at ${path}`);
  }
});

onEveryChain('GET /api › name, version and network', [], async (t, world) => {
  const { call } = await serve(t, await openTreasury(t, world));
  const { body } = await call('GET', '/api');
  t.like(body, { success: true, name: 'treasury', network: world.network });
  t.is((await call('GET', '/api/health')).status, 200);
  t.is((await call('GET', '/api/health/ready')).status, 200);
});
