/**
 * The reference SDK as the dapp, to hold the phone against: `sdk-dapp.js FOLDER`. One order, `ask`: `connect` answers a URI,
 * `settled` the namespaces, `request` what the wallet answered; `ping`, `extend` and `disconnect` are what they say.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { PhoneOptions } from '../behaviour.js';
import type { OrderMessage, PhoneMessage } from '../orders.js';

type Body = Record<string, unknown>;
type Session = { readonly topic: string; readonly namespaces: Body };
type Client = {
  readonly on: (event: string, listener: (given: unknown) => void) => void;
  readonly connect: (given: Body) => Promise<{ uri: string; approval: () => Promise<Session> }>;
  readonly request: (given: Body) => Promise<unknown>;
  readonly ping: (given: Body) => Promise<void>;
  readonly extend: (given: Body) => Promise<{ acknowledged: () => Promise<void> }>;
  readonly disconnect: (given: Body) => Promise<void>;
};

const [, , folder = ''] = process.argv;
globalThis.fetch = () => Promise.reject(new Error('nothing but the relay is reached'));

const send = (message: PhoneMessage): void => {
  if (process.connected) process.send?.(message);
};

const startClient = async (options: PhoneOptions): Promise<Client> => {
  const { SignClient } = createRequire(join(folder, 'index.js'))('@walletconnect/sign-client') as {
    SignClient: { init: (given: unknown) => Promise<Client> };
  };
  const client = await SignClient.init({
    projectId: options.projectId,
    relayUrl: options.relay,
    telemetryEnabled: false,
    logger: 'silent',
    storageOptions: { database: ':memory:' },
    metadata: { name: 'SDK dapp', description: '', url: 'https://sdk.example', icons: [] },
  });
  for (const kind of ['session_update', 'session_event', 'session_delete', 'session_extend'])
    client.on(kind, (given) => {
      send({ event: { kind, given } });
    });
  return client;
};

let client: Promise<Client> | undefined;
let approved: Promise<Session> | undefined;

const ask = async (what: string, params: Body): Promise<unknown> => {
  const sdk = await client;
  if (what === 'connect') {
    const connecting = await sdk?.connect(params);
    approved = connecting?.approval();
    approved?.catch(() => undefined);
    return connecting?.uri;
  }
  const session = await approved;
  const topic = session?.topic;
  switch (what) {
    case 'settled':
      return session;
    case 'request':
      return sdk?.request({ topic, ...params });
    case 'ping':
      return sdk?.ping({ topic });
    case 'extend':
      return (await sdk?.extend({ topic }))?.acknowledged();
    case 'disconnect':
      return sdk?.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } });
    default:
      throw new Error(`nothing to ask for: ${what}`);
  }
};

process.on('message', (given) => {
  const message = given as OrderMessage;
  if ('options' in message) {
    client = startClient(message.options);
    return;
  }
  const [what, params] = message.args as [string, Body];
  ask(what, params).then(
    (result) => {
      send({ id: message.id, result: { result } });
    },
    (error: unknown) => {
      send({
        id: message.id,
        result: { error: error instanceof Error ? { message: error.message } : error },
      });
    },
  );
});
process.on('disconnect', () => {
  process.exit();
});
