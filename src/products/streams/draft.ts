/** From a request to the PENDING record of a stream: the terms, the parties, and the covenant that they give. */
import { binToHex } from '@bitauth/libauth';
import type { Address } from '../../bch/address.js';
import { newestFingerprint } from '../../covenant/artifact.js';
import type { Issue, TreasuryError } from '../../errors.js';
import type { Asset } from '../../record/assets.js';
import { checkPayable } from '../../offer/payees.js';
import type { Context } from '../../operation/context.js';
import { writeNote } from '../../record/events.js';
import { nextLabel } from '../../record/labels.js';
import type { PriceReading } from '../../operation/ports/price.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { checkVaultReader, findVault, type VaultRecord } from '../vaults/index.js';
import { activityCollection, activityOf } from './activity.js';
import type { ScheduleRequest } from './fields.js';
import { kindOf } from './kinds.js';
import { streamCollection, type LaunchContext, type StreamRecord } from './stream.js';
import { readTerms } from './terms.js';
import type { StreamTerms } from './reading.js';

/** What all streams of a request share. */
export type DraftFrame = {
  readonly sender: Address;
  readonly asset: Asset;
  readonly vault: VaultRecord | null;
  readonly batchId: string | null;
  /** For streams that name none of their own. */
  readonly launchContext: LaunchContext | null;
  /** Chain now, unix seconds. */
  readonly now: number;
  readonly authorityPublicKey: string;
};

export type Draft =
  | { readonly stream: StreamRecord }
  | { readonly issues: readonly Issue[]; readonly error: TreasuryError | null };

/**
 * The vault that a request names, if it names one: anyone may launch from a public vault, members from a private one.
 *
 * @throws vault_not_found, private_vault
 */
export const requestedVault = async (
  vaultId: string | null | undefined,
  store: StoreReader,
  caller: Address,
): Promise<VaultRecord | null> => {
  if (vaultId == null) return null;
  const vault = await findVault(store, vaultId);
  checkVaultReader(vault, caller);
  return vault;
};

/** A launch context that says anything, or null. */
export const launchContextOf = (given: LaunchContext | null | undefined): LaunchContext | null =>
  given == null || Object.values(given).every((text) => text === undefined) ? null : given;

const recordOf = (
  terms: StreamTerms,
  request: ScheduleRequest,
  frame: DraftFrame,
  context: Pick<Context, 'uuid' | 'random' | 'clock'>,
): StreamRecord => ({
  ...terms,
  id: context.uuid(),
  stream_id: '',
  on_chain_stream_id: binToHex(context.random(32)),
  vault_id: frame.vault?.id ?? null,
  is_private: frame.vault?.is_public === false,
  batch_id: frame.batchId,
  sender: frame.sender.text,
  first_recipient: request.recipient.text,
  token_type: frame.asset.tokenType,
  token_category: frame.asset.category,
  decimals: frame.asset.decimals,
  launch_context: launchContextOf(request.launchContext) ?? frame.launchContext,
  description: request.description ?? '',
  contract_address: '',
  constructor_params: [],
  artifact_fingerprint: newestFingerprint(kindOf(terms).artifact),
  authority_pubkey: frame.authorityPublicKey,
  status: 'PENDING',
  recipient: request.recipient.text,
  withdrawn_amount: 0n,
  returned_amount: 0n,
  refilled_amount: 0n,
  shift_seconds: 0,
  paused_at: null,
  tx_hash: null,
  last_tx_hash: null,
  thread: null,
  created_at: context.clock.now(),
  updated_at: context.clock.now(),
});

/**
 * The stream that a request asks for, at the address of its covenant but without a label; or what is wrong with it.
 *
 * @throws not_payable
 */
export const draftStream = async (
  request: ScheduleRequest,
  frame: DraftFrame,
  context: Pick<Context, 'uuid' | 'random' | 'clock' | 'network' | 'covenants'>,
): Promise<Draft> => {
  await checkPayable(request.recipient, 'recipient', context);
  const reading = readTerms(request, frame);
  if (!('terms' in reading)) return reading;
  const record = recordOf(reading.terms, request, frame, context);
  const kind = kindOf(record);
  const failed = kind.checkTerms(record).filter(({ ok }) => !ok);
  if (failed.length > 0)
    return { issues: failed.map(({ check, detail }) => ({ path: check, message: detail })), error: null };
  const { address, constructorParams } = kind.contract(record, context.network);
  return {
    stream: { ...record, contract_address: address.text, constructor_params: [...constructorParams] },
  };
};

/** Writes a new stream down, with its label and its first event; returns it as it stands. */
export const storeStream = async (
  writer: StoreWriter,
  draft: StreamRecord,
  price: PriceReading | null,
  { network, clock }: Pick<Context, 'network' | 'clock'>,
): Promise<StreamRecord> => {
  const stream: StreamRecord = { ...draft, stream_id: await nextLabel(writer, 'STREAM') };
  writer.put(streamCollection, stream);
  const { id: entityId, decimals } = stream;
  const subject = { entityType: 'stream', entityId, decimals, network, now: clock.now(), price };
  const note = { type: 'created' as const, actor: stream.sender, amount: stream.total_amount };
  writer.put(activityCollection, activityOf(stream, writeNote(writer, subject, note)));
  return stream;
};
