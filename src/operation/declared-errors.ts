/**
 * The codes that operations throw together, by what throws them. An operation declares these lists and its own codes;
 * those that it meets on the way to its `run` are added by {@link errorsOf}.
 */
import type { ErrorCode } from '../errors.js';

type Codes = readonly ErrorCode[];

/** Asking the chain. */
export const CHAIN_ERRORS: Codes = ['chain_unavailable', 'server_disagrees'];

/** Breaking the rules of the network, or those by which a transaction is relayed. */
export const RELAY_ERRORS: Codes = [
  'tx_malformed',
  'tx_not_final',
  'tx_dust',
  'tx_fee_too_low',
  'tx_token_rule',
  'tx_script_failed',
  'tx_too_large',
  'tx_not_standard',
];

/** Broadcasting. */
export const BROADCAST_ERRORS: Codes = [...RELAY_ERRORS, 'tx_conflict', 'tx_missing_inputs', ...CHAIN_ERRORS];

/** Asking for keys: they are kept for one network. */
export const KEYS_ERRORS: Codes = ['network_mismatch'];

/** A passphrase that was asked for; `invalid_file` where it stands in one. */
const PASSPHRASE_ERRORS: Codes = ['wrong_passphrase', 'invalid_file'];

/** Naming a wallet. */
export const WALLET_ERRORS: Codes = ['wallet_not_found', ...KEYS_ERRORS];

/** Unlocking a wallet. */
export const UNLOCK_ERRORS: Codes = [...WALLET_ERRORS, 'wallet_locked', ...PASSPHRASE_ERRORS];

/** Asking whoever holds a key elsewhere. */
const REMOTE_ERRORS: Codes = [
  'wallet_declined',
  'wallet_failed',
  'wallet_silent',
  'wallet_offline',
  'wallet_account_mismatch',
  'wallet_session_ended',
  'wallet_unsupported',
  'wallet_answer_differs',
  'wallet_busy',
  'relay_unavailable',
  'project_id_missing',
  'project_id_refused',
];

/** Having a wallet sign, wherever its key is. */
export const SIGN_ERRORS: Codes = [...UNLOCK_ERRORS, 'signing_failed', 'tx_malformed', ...REMOTE_ERRORS];

/** Making a wallet; `missing_value` where it needs a passphrase and nobody can be asked. */
export const NEW_WALLET_ERRORS: Codes = ['wallet_exists', 'missing_value', 'invalid_file', ...KEYS_ERRORS];

/** Connecting an app. */
export const CONNECT_ERRORS: Codes = [
  ...NEW_WALLET_ERRORS,
  'wallet_not_paired',
  'wallet_network_mismatch',
  'wallet_proof_failed',
  ...REMOTE_ERRORS,
];

/** Disconnecting one. */
export const DISCONNECT_ERRORS: Codes = [...UNLOCK_ERRORS, 'wallet_not_remote', 'wallet_busy'];

/** Unlocking the authority. */
export const AUTHORITY_ERRORS: Codes = [
  'authority_missing',
  'authority_locked',
  ...PASSPHRASE_ERRORS,
  ...KEYS_ERRORS,
];

/** Following a record (`followRecord`). */
export const FOLLOW_ERRORS: Codes = ['record_damaged', 'store_conflict', 'tx_invalid', ...CHAIN_ERRORS];

/** Asking for what belongs to a vault. */
export const VAULT_ERRORS: Codes = ['vault_not_found', 'private_vault'];

/** Creating a record with a contract, for a vault or for none. */
export const CREATE_ERRORS: Codes = [
  'invalid_amount',
  'amount_below_dust',
  'not_payable',
  ...VAULT_ERRORS,
  'authority_missing',
  ...KEYS_ERRORS,
  ...CHAIN_ERRORS,
];

/** The trial of what is to be signed; `signing_failed`: not by this signer. */
export const PREFLIGHT_ERRORS: Codes = ['signing_failed', 'amount_exceeds_key_maximum', ...RELAY_ERRORS];

/** Handing out a transaction (`handOut`). */
export const HAND_OUT_ERRORS: Codes = ['insufficient_funds', ...PREFLIGHT_ERRORS, ...CHAIN_ERRORS];

/** Following a record and handing out a move of it. */
export const OFFER_ERRORS: Codes = [...FOLLOW_ERRORS, ...HAND_OUT_ERRORS];

/** Handing out a move with the time witness (`offerWitnessed`): tickets are made and taken back on the way. */
export const WITNESS_ERRORS: Codes = [
  'too_many_witnesses',
  'authority_unfunded',
  ...AUTHORITY_ERRORS,
  ...BROADCAST_ERRORS,
  ...OFFER_ERRORS,
];

/** Handing out what lies unexpected at an address. */
export const RECOVER_ERRORS: Codes = ['nothing_to_recover', 'not_recoverable', ...OFFER_ERRORS];

/** A transaction that the chain must have (`indexedTransaction`). */
export const INDEXED_ERRORS: Codes = ['tx_not_indexed', 'tx_invalid', ...CHAIN_ERRORS];

/** Confirming a transaction of a record. */
export const CONFIRM_ERRORS: Codes = ['tx_mismatch', ...INDEXED_ERRORS, ...FOLLOW_ERRORS];

/** Whatever is asked: the input may be wrong, and the store may not answer. */
const ALWAYS: Codes = [
  'invalid_input',
  'store_locked',
  'store_damaged',
  'store_too_new',
  'store_unreachable',
  'commit_unknown',
  'database_refused',
  'store_not_migrated',
  'other_chain',
  'storage_full',
  'storage_read_only',
  'too_many_files',
];

/** Where somebody may say who they are. */
const OF_CALLERS: Codes = [
  'unauthenticated',
  'invalid_token',
  'token_expired',
  'address_token_mismatch',
  'invalid_address',
];

/** Where a key for scripts may be sent. */
export const OF_KEYS: Codes = [
  'invalid_key',
  'key_expired',
  'key_revoked',
  'key_required',
  'key_not_allowed',
];

/** What of an operation says which codes it can meet. */
type Declared = {
  readonly auth: string;
  readonly errors: Codes;
  readonly http?: unknown;
  readonly forKeys?: string;
};

/** Every code that running an operation can throw, its own first. */
export const errorsOf = ({ auth, errors, http, forKeys }: Declared): Codes => [
  ...new Set([
    ...errors,
    ...ALWAYS,
    ...(auth === 'none' ? [] : OF_CALLERS),
    ...(http === undefined || forKeys === 'open' ? [] : OF_KEYS),
  ]),
];
