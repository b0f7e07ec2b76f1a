/** What runs beside the service for the time witness, and its figures for the doctor. */
import { hexToBin } from '@bitauth/libauth';
import { addressOfPublicKey } from '../../bch/keys.js';
import { outpointText, sumSatoshis } from '../../bch/coins.js';
import type { Context } from '../../operation/context.js';
import type { StorePort } from '../../operation/ports/store.js';
import { isSetAside, witnessCollection } from './record.js';
import { freeTickets } from './tickets.js';
import { withdrawWitnesses } from './withdrawal.js';

const PASS_MILLISECONDS = 60_000;

/** Where this is the one that does it: its store, and whether nobody else hands witnesses out. */
export type WitnessTurn = { readonly store: StorePort; readonly isAlone: boolean };

/**
 * Withdraws all witnesses at the start of a service, and the old ones every minute. What the start could not withdraw (a
 * chain that did not answer) stays due until it is.
 *
 * @param turn whether it is this process that withdraws; null: another one does
 */
export const witnessWorker = (
  context: Context,
  turn: () => WitnessTurn | null = () => ({ store: context.store, isAlone: true }),
) => {
  let timer: NodeJS.Timeout | undefined;
  let passing = Promise.resolve();
  let isStarting = true;
  const pass = async (): Promise<void> => {
    try {
      await context.store.refresh();
      const mine = turn();
      // What others have handed out a moment ago is good.
      isStarting &&= mine?.isAlone === true;
      if (mine === null) return;
      const own = { ...context, store: mine.store };
      const failures = await withdrawWitnesses(own, isStarting ? { olderThanSeconds: 0 } : {});
      isStarting &&= failures > 0;
    } catch (error) {
      context.log.error({ err: error }, 'the time witnesses could not be looked through');
    }
  };
  const next = (): Promise<void> => (passing = passing.then(pass));
  return {
    name: 'time witness',
    start: async (): Promise<void> => {
      await next();
      timer = setInterval(() => void next(), PASS_MILLISECONDS);
      timer.unref();
    },
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await passing;
    },
  };
};

export type WitnessFigures = {
  /** Where the newest authority's coins are. */
  readonly address: string;
  /** Coins that can serve as tickets now. */
  readonly tickets: number;
  /** What they hold. */
  readonly satoshis: bigint;
  /** Witnesses out: labels of what they would move. */
  readonly out: readonly string[];
};

/** How the time witness stands. @throws authority_missing, chain_unavailable */
export const witnessFigures = async (context: Context): Promise<WitnessFigures> => {
  const publicKey = await context.keys.authorityPublicKey();
  const address = addressOfPublicKey(hexToBin(publicKey), context.network);
  const tickets = await freeTickets({ address }, context);
  const unspent = new Set((await context.chain.coins(address.lockingBytecode)).map(outpointText));
  const { items } = await context.store.find(witnessCollection);
  const out = items.filter(
    // One whose ticket is spent waits to be forgotten; of other authorities only the record is known.
    (witness) =>
      witness.authority_pubkey === publicKey
        ? unspent.has(outpointText(witness.ticket))
        : !isSetAside(witness),
  );
  return {
    address: address.text,
    tickets: tickets.length,
    satoshis: sumSatoshis(tickets),
    out: out.map(({ label }) => label),
  };
};
