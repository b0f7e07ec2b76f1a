/**
 * The time witness: the authority co-signs a sender's pause or cancel at the current chain now, and can take it back.
 *
 * What is handed out is stored before it leaves. There is one witness per thread, and two never share a ticket.
 * Source: docs/design/covenants.md, rule 5.
 */
import { binToHex } from '@bitauth/libauth';
import type { Address } from '../../bch/address.js';
import { outpointText, sameOutpoint, type Coin } from '../../bch/coins.js';
import { decodeWalletTransaction, type WalletTransaction } from '../../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import type { ThreadPointer } from '../../covenant/thread.js';
import { signTicketReturn, witnessOf, type Witness } from '../../covenant/ticket.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { handOut } from '../hand-out.js';
import { chainNow } from '../../operation/chain-now.js';
import { checkWitnessLimits, hasRoom } from './limits.js';
import { witnessCollection, type WitnessedMove, type WitnessRecord } from './record.js';
import { freeTicket, isLeased } from './tickets.js';
import { isExpired, withdrawWitness, withdrawWitnesses, WITNESS_SECONDS } from './withdrawal.js';

export { withdrawalCollection, witnessCollection, type WitnessedMove } from './record.js';
export { withdrawWitnesses, WITNESS_SECONDS } from './withdrawal.js';
export { witnessFigures, witnessWorker, type WitnessFigures } from './worker.js';

export type WitnessRequest = {
  readonly subject: { readonly entityType: string; readonly id: string; readonly label: string };
  /** Where the thread is now. */
  readonly thread: ThreadPointer;
  /** The authority that the covenant knows, 33 bytes as hex. */
  readonly authorityPublicKey: string;
  readonly move: WitnessedMove;
  /** Who will sign beside the authority. */
  readonly signer: Address;
  readonly userPrompt: string;
  /**
   * Spends the thread at input 0 and the ticket, and returns the ticket's value, at the current chain now. Finding a
   * ticket may take a block, so what the builder starts from is gathered inside it.
   */
  readonly build: (witness: Witness) => Promise<UnsignedTransaction>;
};

const MAXIMUM_TRIES = 5;

/** True when a wallet could still broadcast it: every coin that it spends is there. */
const isSpendable = async (
  wcTransaction: WitnessRecord['wc_transaction'],
  { chain }: Pick<Context, 'chain'>,
): Promise<boolean> => {
  const { sourceOutputs } = decodeWalletTransaction(wcTransaction);
  for (const { lockingBytecode, outpointTransactionHash, outpointIndex } of sourceOutputs) {
    const outpoint = { txid: binToHex(outpointTransactionHash), vout: outpointIndex };
    const coins = await chain.coins(binToHex(lockingBytecode));
    if (!coins.some((coin) => sameOutpoint(coin, outpoint))) return false;
  }
  return true;
};

/** True when a witness is the very one that is asked for, and still good. */
const isAskedFor = async (
  witness: WitnessRecord,
  { move, signer }: WitnessRequest,
  context: Context,
): Promise<boolean> =>
  witness.move === move &&
  witness.signer === signer.text &&
  !isExpired(witness, context.clock.now()) &&
  (await isSpendable(witness.wc_transaction, context));

/** A builder that leaves the ticket out would make a signature that cannot be taken back. */
const requireTicket = (
  unsigned: UnsignedTransaction,
  ticket: Coin,
  ticketOutput: Witness['ticketOutput'],
): void => {
  const { inputs, outputs } = decodeInputs(unsigned);
  const isSpent = inputs.some((input) => sameOutpoint(input, ticket));
  const isReturned = outputs.some(
    ({ lockingBytecode, satoshis }) =>
      lockingBytecode === ticketOutput.lockingBytecode && satoshis === ticketOutput.satoshis,
  );
  if (!isSpent || !isReturned) throw new Error('a witnessed transaction spends its ticket and returns it');
};

/** What the transaction itself says, not what its builder says of it. */
const decodeInputs = ({ transaction }: UnsignedTransaction) => ({
  inputs: transaction.inputs.map(({ outpointTransactionHash, outpointIndex }) => ({
    txid: binToHex(outpointTransactionHash),
    vout: outpointIndex,
  })),
  outputs: transaction.outputs.map(({ lockingBytecode, valueSatoshis }) => ({
    lockingBytecode: binToHex(lockingBytecode),
    satoshis: valueSatoshis,
  })),
});

/** Builds the transaction with a free ticket, and runs it through the VM. */
const drawWitness = async (request: WitnessRequest, context: Context): Promise<WitnessRecord> => {
  const { subject, thread, authorityPublicKey, move, signer } = request;
  // Build:
  const authority = await context.keys.authority(authorityPublicKey);
  const coin = await freeTicket(authority, context);
  const witness = witnessOf(coin, authority);
  const unsigned = await request.build(witness);

  // Check: the ticket binds the signature, and the time is the chain's now (a block may have come meanwhile).
  requireTicket(unsigned, coin, witness.ticketOutput);
  if ((await chainNow(context)) - unsigned.transaction.locktime >= WITNESS_SECONDS) {
    throw new TreasuryError('store_conflict', { label: subject.label });
  }
  const wcTransaction = await handOut(unsigned, signer, request.userPrompt, context);
  return {
    id: outpointText(thread),
    entity_type: subject.entityType,
    entity_id: subject.id,
    label: subject.label,
    thread,
    thread_lock: unsigned.inputs[0]?.lockingBytecode ?? '',
    ticket: { txid: coin.txid, vout: coin.vout, satoshis: coin.satoshis },
    ticket_return: signTicketReturn(coin, authority, context.network),
    authority_pubkey: authorityPublicKey,
    move,
    signer: signer.text,
    wc_transaction: wcTransaction,
    handed_out_at: context.clock.now(),
  };
};

/**
 * @param ended - ids of the signer's witnesses that are no longer out
 * @returns false when another process has a witness out for the thread, has taken the ticket, or the signer's last place
 */
const storeWitness = (
  witness: WitnessRecord,
  ended: ReadonlySet<string>,
  { store }: Pick<Context, 'store'>,
): Promise<boolean> =>
  store.transaction(async (writer) => {
    if ((await writer.get(witnessCollection, witness.id)) !== null) return false;
    if (await isLeased(writer, outpointText(witness.ticket))) return false;
    if (!(await hasRoom(writer, witness.signer, ended))) return false;
    writer.put(witnessCollection, witness);
    return true;
  });

const toWalletTransaction = ({
  userPrompt,
  ...rest
}: WitnessRecord['wc_transaction']): WalletTransaction => ({
  ...rest,
  ...(userPrompt === undefined ? {} : { userPrompt }),
});

/**
 * A move of the sender's, co-signed by the authority at the current chain now, for the signer's wallet.
 *
 * Who asks must be proven to be the signer: an earlier witness of the thread is withdrawn for it. Asked again within ten
 * minutes, the same move of the same signer is the same transaction; another move of the same thread withdraws the
 * earlier one first, unless there were too many: then the earlier one stays good.
 *
 * @throws {@link WITNESS_ERRORS}, and what the builder throws
 */
export const offerWitnessed = async (
  request: WitnessRequest,
  context: Context,
): Promise<WalletTransaction> => {
  await withdrawWitnesses(context);
  for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
    const known = await context.store.get(witnessCollection, outpointText(request.thread));
    if (known !== null && (await isAskedFor(known, request, context)))
      return toWalletTransaction(known.wc_transaction);
    const { ended } = await checkWitnessLimits(request, context);
    if (known !== null) await withdrawWitness(known, context);
    const witness = await drawWitness(request, context);
    // Record: it is on disk before it leaves, and so is what takes it back.
    if (await storeWitness(witness, ended, context)) return toWalletTransaction(witness.wc_transaction);
  }
  throw new TreasuryError('store_conflict', { label: request.subject.label });
};
