/** From a request to the PENDING record of a stream: the terms, the parties, and the covenant that they give. */
import { binToHex } from '@bitauth/libauth';
import type { Address } from '../../bch/address.js';
import { newestFingerprint } from '../../covenant/artifact.js';
import { TreasuryError } from '../../errors.js';
import type { Asset } from '../../record/assets.js';
import { checkPayable } from '../../offer/payees.js';
import type { Context } from '../../operation/context.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { checkVaultReader, findVault, type VaultRecord } from '../vaults/index.js';
import type { ScheduleRequest } from './fields.js';
import { ownWordsOf } from '../../record/own-words.js';
import { kindOf } from './kinds.js';
import { UNMOVED, type LaunchContext, type StreamRecord, type StreamTerms } from './stream.js';
import { readTerms, type Refusal } from './terms.js';

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

/** Checks that who is named is who asks, where both are. @throws caller_mismatch */
export const checkSender = (
  field: string,
  named: Address | undefined,
  caller: Address | null | undefined,
): void => {
  if (named === undefined || caller == null || named.text === caller.text) return;
  throw new TreasuryError('caller_mismatch', { field, value: named.text, caller: caller.text });
};

/** A launch context that says anything, or null. */
export const launchContextOf = (given: LaunchContext | null | undefined): LaunchContext | null =>
  given == null || Object.values(given).every((text) => text === undefined) ? null : given;

const recordOf = (
  terms: StreamTerms,
  request: ScheduleRequest,
  frame: DraftFrame,
  context: Pick<Context, 'uuid' | 'random' | 'clock' | 'ownWords'>,
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
  ...UNMOVED,
  tx_hash: null,
  last_tx_hash: null,
  thread: null,
  created_at: context.clock.now(),
  updated_at: context.clock.now(),
  ...ownWordsOf(context),
});

/**
 * The stream that a request asks for, at the address of its covenant but without a label; or what is wrong with it.
 *
 * @throws not_payable
 */
export const draftStream = async (
  request: ScheduleRequest,
  frame: DraftFrame,
  context: Pick<Context, 'uuid' | 'random' | 'clock' | 'network' | 'covenants' | 'ownWords'>,
): Promise<{ readonly stream: StreamRecord } | Refusal> => {
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
