/**
 * How much of the authority one signer, or one record, can take up.
 *
 * A witness that is out holds a ticket, and one that is withdrawn has cost the authority a fee: without limits a sender
 * of some small streams leaves no ticket for anybody else. One that is used costs nothing and counts for nothing.
 * Source: docs/design/covenants.md, rule 20.
 */
import { hexToBin } from '@bitauth/libauth';
import type { Address } from '../../bch/address.js';
import { addressOfPublicKey } from '../../bch/keys.js';
import { outpointText } from '../../bch/coins.js';
import { TreasuryError } from '../../errors.js';
import { fateOf, isMined } from '../coin-fate.js';
import type { Context } from '../../operation/context.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { isSetAside, withdrawalCollection, witnessCollection, type WitnessRecord } from './record.js';
import { WITHDRAWAL_WINDOW_SECONDS, WITNESS_SECONDS } from './withdrawal.js';

/** Witnesses of one signer that can be out at once. */
const MOST_OUT = 4;
/** Withdrawals that are good for another within {@link WITHDRAWAL_WINDOW_SECONDS}. */
const MOST_WITHDRAWN = { record: 6, signer: 12 } as const;

const witnessesOf = async (store: StoreReader, signer: string): Promise<readonly WitnessRecord[]> =>
  (await store.find(witnessCollection, { where: { signer } })).items.filter(
    (witness) => !isSetAside(witness),
  );

/**
 * Ids of those that can be used no more: their ticket is spent, since they were used or withdrawn, or a block has a move
 * of their thread. A recipient who claims must not use up the sender's. @throws chain_unavailable
 */
const endedOf = async (
  witnesses: readonly WitnessRecord[],
  { chain, network }: Pick<Context, 'chain' | 'network'>,
): Promise<ReadonlySet<string>> => {
  const keys = [...new Set(witnesses.map(({ authority_pubkey: publicKey }) => publicKey))];
  const coins = await Promise.all(
    keys.map((publicKey) => chain.coins(addressOfPublicKey(hexToBin(publicKey), network).lockingBytecode)),
  );
  const unspent = new Set(coins.flat().map(outpointText));
  const isEnded = async ({ ticket, thread, thread_lock: lock }: WitnessRecord): Promise<boolean> =>
    !unspent.has(outpointText(ticket)) || isMined(await fateOf(lock, thread, { chain }));
  const ended = await Promise.all(
    witnesses.map(async (witness) => ((await isEnded(witness)) ? [witness.id] : [])),
  );
  return new Set(ended.flat());
};

const refuse = (reason: string, until: number, now: number): TreasuryError =>
  new TreasuryError('too_many_witnesses', { reason, retryAfter: Math.max(1, until - now) });

/** Checks what was withdrawn of late. @throws too_many_witnesses */
const checkWithdrawn = async (
  index: keyof typeof MOST_WITHDRAWN,
  value: string,
  name: string,
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<void> => {
  const [limit, now] = [MOST_WITHDRAWN[index], clock.now()];
  const times = (await store.find(withdrawalCollection, { where: { [index]: value } })).items
    .map(({ withdrawn_at: time }) => time)
    .filter((time) => now - time < WITHDRAWAL_WINDOW_SECONDS)
    .sort((one, other) => one - other);
  const oldest = times.at(-limit);
  if (times.length < limit || oldest === undefined) return;
  const reason = `${limit} of ${name} were asked for within an hour and not used: broadcast what is handed out`;
  throw refuse(reason, oldest + WITHDRAWAL_WINDOW_SECONDS, now);
};

/**
 * Checks that a signer can have a witness for a thread. One that is out for that thread does not count: it makes room.
 *
 * @returns ids of the signer's witnesses that do not count, the thread's among them
 * @throws too_many_witnesses with `retryAfter` in seconds, chain_unavailable
 */
export const checkWitnessLimits = async (
  {
    subject,
    thread,
    signer,
  }: {
    readonly subject: { readonly id: string; readonly label: string };
    readonly thread: { readonly txid: string; readonly vout: number };
    readonly signer: Address;
  },
  context: Context,
): Promise<{ readonly ended: ReadonlySet<string> }> => {
  await checkWithdrawn('record', subject.id, subject.label, context);
  await checkWithdrawn('signer', signer.text, signer.text, context);
  const witnesses = await witnessesOf(context.store, signer.text);
  const ended = new Set([...(await endedOf(witnesses, context)), outpointText(thread)]);
  const out = witnesses.filter(({ id }) => !ended.has(id));
  if (out.length < MOST_OUT) return { ended };
  const first = Math.min(...out.map(({ handed_out_at: time }) => time));
  const reason = `${out.length} of ${signer.text} are signed and not used yet: broadcast one of them`;
  throw refuse(reason, first + WITNESS_SECONDS, context.clock.now());
};

/** True when the signer can have one more. `ended` do not count, see {@link checkWitnessLimits}. */
export const hasRoom = async (
  store: StoreReader,
  signer: string,
  ended: ReadonlySet<string>,
): Promise<boolean> =>
  (await witnessesOf(store, signer)).filter(({ id }) => !ended.has(id)).length < MOST_OUT;
