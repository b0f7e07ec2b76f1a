/** The service itself: what it is, and whether it is well. */
import { z } from 'zod';
import { messageOf, TreasuryError } from '../errors.js';
import { CHAIN_ERRORS, defineOperation, KEYS_ERRORS, type Offer } from '../operation/define.js';

/** Nothing of it is secret: a browser shows it to whoever looks. */
const PageFacts = z.object({
  network: z.string(),
  trustsAddressHeader: z.boolean().describe('True: x-user-address is taken without a token'),
  walletconnect: z
    .object({ projectId: z.string(), relay: z.string() })
    .nullable()
    .describe('Null: this service has no project id'),
  wizardconnect: z.object({
    relays: z.array(z.string()).readonly(),
    isUsual: z.boolean().describe('True: wallets look there by themselves'),
  }),
  wait: z.number().describe('How long an answer of a wallet is waited for, seconds'),
});

export const about = defineOperation({
  id: 'service.about',
  summary: 'Name and version of the service, its network and its claim authorities',
  http: { method: 'GET', path: '/api' },
  cli: false,
  auth: 'none',
  forKeys: 'open',
  input: z.object({}),
  output: z.object({
    name: z.string(),
    version: z.string(),
    network: z.string(),
    authorities: z
      .array(z.string())
      .describe(
        'Public keys of its claim authorities, the newest last: compare them before you trust a deployment',
      ),
    page: PageFacts.nullable().describe('What the page at /app/ has to know; null: none is served'),
  }),
  errors: KEYS_ERRORS,
  run: async (_, { program, network, keys, serving }) => {
    const authorities = (await keys.list()).filter(({ isAuthority }) => isAuthority);
    const phones = serving?.phones ?? null;
    return {
      ...program,
      network,
      authorities: authorities.map(({ publicKey }) => publicKey),
      page:
        phones === null
          ? null
          : { network, trustsAddressHeader: serving?.trustsAddressHeader === true, ...phones },
    };
  },
});

export const health = defineOperation({
  id: 'service.health',
  summary: 'Whether the service is alive',
  http: { method: 'GET', path: '/api/health' },
  cli: false,
  auth: 'none',
  forKeys: 'open',
  input: z.object({}),
  output: z.object({ status: z.literal('alive') }),
  errors: [],
  isConstant: true,
  run: () => Promise.resolve({ status: 'alive' as const }),
});

export const ready = defineOperation({
  id: 'service.ready',
  summary: 'Whether the service can do its work: its store can be written to, and its chain answers',
  description: 'The node behind an indexer is asked too: without it nothing can be sent.',
  http: { method: 'GET', path: '/api/health/ready' },
  cli: false,
  auth: 'none',
  forKeys: 'open',
  input: z.object({}),
  output: z.object({
    status: z.literal('ready'),
    height: z.number(),
    medianTimePast: z.number().describe('Unix seconds'),
  }),
  errors: CHAIN_ERRORS,
  run: async (_, { store, chain }) => {
    await store.refresh();
    await store.probe();
    try {
      // An indexer tells the tip from what it has, though its node is dead and takes nothing.
      const [{ height, medianTimePast }] = await Promise.all([chain.tip(), chain.askNode()]);
      return { status: 'ready' as const, height, medianTimePast };
    } catch (error) {
      if (error instanceof TreasuryError) throw error;
      throw new TreasuryError('chain_unavailable', { reason: messageOf(error) }, { cause: error });
    }
  },
});

export const operations: readonly Offer[] = [about, health, ready];
