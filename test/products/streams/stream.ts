/** Streams in the states that tests start from. */
import { alice, authority, bob, type Person } from '../../../fixtures/people.js';
import { TEST_TIME, type Treasury } from '../../treasury.js';

export type Json = Record<string, unknown>;
export type Verb = 'funding' | 'claim' | 'push' | 'pause' | 'resume' | 'transfer' | 'cancel' | 'refill';

export type StreamHandle = {
  readonly id: string;
  readonly created: Json;
  /** One whole step of a person; returns the transaction id. */
  readonly move: (who: Person, verb: Verb, input?: Json) => Promise<string>;
  readonly shown: () => Promise<Json>;
  readonly claims: () => Promise<Json[]>;
};

export const DAY = 86_400;

/** 100 days, one percent a day; begins an hour ago, so that chain now is behind it whatever the chain's clock says. */
export const terms = {
  streamType: 'LINEAR',
  totalAmount: '0.1',
  startTime: TEST_TIME - 3_600,
  endTime: TEST_TIME - 3_600 + 100 * DAY,
};

const BUILD: Partial<Record<Verb, string>> = { funding: 'streams.funding-info' };

/** A handle on a stream of the treasury. */
export const handleOf = (treasury: Treasury, id: string, created: Json = {}): StreamHandle => ({
  id,
  created,
  move: async (who, verb, input = {}) => {
    const built = await treasury.ask(who, BUILD[verb] ?? `streams.${verb}`, { id, ...input });
    const txHash = await treasury.send(who, built['wcTransaction']);
    await treasury.ask(who, `streams.confirm-${verb}`, { id, txHash });
    return txHash;
  },
  shown: async () => (await treasury.ask(null, 'streams.show', { id }))['stream'] as Json,
  claims: async () => (await treasury.ask(null, 'streams.show', { id }))['claims'] as Json[],
});

/** A PENDING stream from alice to bob, who has no coins. */
export const createStream = async (treasury: Treasury, extra: Json = {}): Promise<StreamHandle> => {
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 20_000_000n);
  const created = await treasury.ask(alice, 'streams.create', {
    recipient: treasury.addressOf(bob).text,
    ...terms,
    ...extra,
  });
  return handleOf(treasury, (created['stream'] as { id: string }).id, created);
};

/** An ACTIVE stream from alice to bob. The authority has coins to witness with. */
export const fundStream = async (treasury: Treasury, extra: Json = {}): Promise<StreamHandle> => {
  await treasury.give(authority, 1_000_000n);
  const stream = await createStream(treasury, extra);
  await stream.move(alice, 'funding');
  return stream;
};

/** A token with two decimals of which alice has 1000, and the terms of a stream of 100 of it. */
export const tokenTerms = async (treasury: Treasury): Promise<{ category: string; terms: Json }> => {
  await treasury.give(alice, 1_000_000n);
  const category = await treasury.mint(alice, '1000', 2);
  return { category, terms: { tokenType: 'CASHTOKENS', tokenCategory: category, totalAmount: '100' } };
};

/** Moves chain time on. */
export const advance = async ({ app }: Treasury, seconds: number): Promise<void> => {
  await app.context.localChain?.advance(seconds);
};

/** Chain now, unix seconds. */
export const chainTime = async ({ app }: Treasury): Promise<number> =>
  (await app.context.chain.tip()).medianTimePast - 1;
