/* eslint-disable max-lines -- the one table of errors, which is data */
/**
 * The only error table and the only error class.
 *
 * A code is a contract: it is never renamed. Its text is not: it may be improved at any time.
 * `{name}` in a message is filled from the error's details.
 * Grammar of codes: `_not_found`, `_mismatch`, `_exceeds_`, `invalid_`, `not_<role>`.
 */

import { momentText } from './bch/show-date.js';

/** Exit codes of the command line. Source: `treasury help exit-codes`. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  invalid: 2,
  notFound: 3,
  notAllowed: 4,
  rule: 5,
  refused: 6,
  network: 7,
  pending: 8,
  declined: 10,
  interrupted: 130,
} as const;

type ErrorEntry = {
  /** HTTP status. */
  readonly status: number;
  /** Exit code of the command line. */
  readonly exit: number;
  /** True when the same request may succeed later without being changed. */
  readonly retryable: boolean;
  readonly message: string;
  /** The command that lists what was not found: `wallet list`. */
  readonly list?: string;
};

const entry = <const Message extends string>(
  status: number,
  exit: number,
  message: Message,
  retryable = false,
) => ({
  status,
  exit,
  retryable,
  message,
});

const invalid = <const M extends string>(message: M) => entry(400, EXIT.invalid, message);
const unauthenticated = <const M extends string>(message: M) => entry(401, EXIT.notAllowed, message);
const forbidden = <const M extends string>(message: M) => entry(403, EXIT.notAllowed, message);
const notFound = <const M extends string>(message: M, list?: string) => ({
  ...entry(404, EXIT.notFound, message),
  ...(list === undefined ? {} : { list }),
});
const conflict = <const M extends string>(message: M) => entry(409, EXIT.rule, message);
const rule = <const M extends string>(message: M) => entry(422, EXIT.rule, message);
const refused = <const M extends string>(message: M) => entry(422, EXIT.refused, message);

export const ERRORS = {
  // The request itself
  invalid_input: invalid('The request is not valid: {summary}.'),
  invalid_json: invalid('The request body is not valid JSON: {reason}.'),
  invalid_address: invalid('{field}: "{value}" is not a usable address: expected {expected}.'),
  invalid_amount: invalid('{field}: "{value}" is not a usable amount: expected {expected}.'),
  invalid_url: invalid('"{value}" cannot be a webhook: {reason}.'),
  invalid_file: invalid('{file} cannot be used: {reason}.'),
  invalid_setting: invalid('The setting {setting} has the value "{value}": expected {expected}.'),
  invalid_request: invalid('The request cannot be answered: {reason}.'),
  missing_value: invalid('{flag} is needed: give it, or run the command on a terminal to be asked.'),
  request_too_large: entry(413, EXIT.invalid, 'The request body is larger than {limitBytes} bytes.'),
  unsupported_media_type: entry(
    415,
    EXIT.invalid,
    'The request body must be JSON: send content-type application/json, not "{contentType}".',
  ),
  method_not_allowed: entry(405, EXIT.invalid, '{method} is not answered at {path}: use {allow}.'),
  too_many_requests: entry(429, EXIT.pending, 'Too many requests: try again in {retryAfter} seconds.', true),
  too_many_streams: entry(
    429,
    EXIT.pending,
    'Too many event streams are open: {reason}. Close one, or try again in {retryAfter} seconds.',
    true,
  ),
  host_not_allowed: forbidden(
    'The Host header "{host}" is not a name of this daemon: use 127.0.0.1, localhost or [::1].',
  ),
  origin_not_allowed: forbidden('Pages of {origin} may not ask for changes here: {remedy}.'),
  idempotency_mismatch: rule('The Idempotency-Key "{key}" was used with another request: use a new key.'),
  idempotency_in_progress: entry(
    409,
    EXIT.pending,
    'A request with the Idempotency-Key "{key}" is still being answered: try again shortly.',
    true,
  ),

  // Who is asking
  unauthenticated: unauthenticated('{reason}.'),
  invalid_token: unauthenticated('The access token is not one of this service: {reason}.'),
  token_expired: unauthenticated(
    'The access token has expired: ask for a new challenge at POST /api/auth/challenge.',
  ),
  invalid_challenge: unauthenticated('This challenge was not given to {address} by this service: {reason}.'),
  challenge_expired: unauthenticated(
    'The challenge has expired: ask for a new one at POST /api/auth/challenge.',
  ),
  challenge_used: unauthenticated(
    'The challenge was used already: ask for a new one at POST /api/auth/challenge.',
  ),
  invalid_signature: unauthenticated('The signature is not one of {address} over this challenge.'),
  address_token_mismatch: unauthenticated(
    'x-user-address is {address}, but the access token belongs to {tokenAddress}.',
  ),
  invalid_key: unauthenticated('The key is not one of this service: {reason}.'),
  key_expired: unauthenticated(
    'The key {keyName} expired on {expiredAt}: `treasury keys create` makes another.',
  ),
  key_revoked: unauthenticated('The key {keyName} was revoked on {revokedAt}.'),
  key_required: unauthenticated(
    'This service takes keys and nothing else: send one as "Authorization: Bearer tk_...". Whoever runs it makes them with `treasury keys create`.',
  ),
  key_not_allowed: forbidden('The key {keyName} may not do this: {missing}.'),
  not_creator: forbidden('Only the creator {creator} may do this; you are {caller}.'),
  not_sender: forbidden('Only the sender {sender} may do this; you are {caller}.'),
  not_recipient: forbidden('Only the recipient {recipient} may do this; you are {caller}.'),
  not_controller: forbidden('Only the controller {controller} may do this; you are {caller}.'),
  not_voter: forbidden('{voter} has no vote of this kind here.'),
  not_vault_signer: forbidden('Only a signer of {vault} may do this; you are {caller}.'),
  not_vault_member: forbidden('Only a member of {vault} may do this; you are {caller}.'),
  private_vault: forbidden('{vault} is private, and {caller} is not a member of it.'),
  caller_mismatch: forbidden(
    '{field} is {value}, but you are {caller}: leave it out or give your own address.',
  ),
  not_signer: forbidden(
    '{signerAddress} is not the creator {creator} of this campaign: leave it out or give the creator.',
  ),

  // Records
  route_not_found: notFound('There is no {method} {path}: see GET /api/openapi.json for what there is.'),
  reward_not_found: notFound('There is no reward campaign "{id}".', 'rewards list'),
  vault_not_found: notFound('There is no vault "{id}".', 'vaults list'),
  budget_not_found: notFound('There is no budget plan "{id}".', 'budgets list'),
  stream_not_found: notFound('There is no stream "{id}".', 'streams list'),
  batch_not_found: notFound('There is no batch run "{id}".', 'streams runs'),
  template_not_found: notFound(
    'There is no schedule template "{id}": the list of templates has them all.',
    'streams templates',
  ),
  payment_not_found: notFound('There is no recurring payment "{id}".', 'payments list'),
  proposal_not_found: notFound('There is no proposal "{id}".', 'governance list'),
  spend_not_found: notFound('There is no spend "{id}" of this vault.', 'vaults spend list'),
  vote_not_found: notFound('{voter} has no locked vote on this proposal.'),
  deployment_not_found: notFound('There is no deployment "{address}".'),
  wallet_not_found: notFound(
    'There is no wallet "{name}": `treasury wallet list` shows what there is.',
    'wallet list',
  ),
  contact_not_found: notFound('There is no contact "@{name}".'),
  key_not_found: notFound('You have no key "{id}".', 'keys list'),
  token_not_found: notFound(
    'The token {category} is not in the registry: `treasury tokens list` shows what there is.',
    'tokens list',
  ),
  webhook_not_found: notFound('There is no webhook "{id}".', 'webhooks list'),
  delivery_not_found: notFound('{label} has no delivery "{id}".'),
  wrong_state: conflict('{label} is {status}; this needs {allowed}.'),
  wallet_exists: conflict('There is already a wallet "{name}": choose another name.'),
  key_exists: conflict(
    'You have a key "{name}" already ({label}): choose another name, or revoke that one first.',
  ),
  webhook_exists: conflict(
    '{label} goes to this address already, with the same filters: change it, or remove it first.',
  ),
  home_exists: conflict('{home} is already set up.'),
  store_conflict: entry(
    409,
    EXIT.pending,
    '{label} changed while this was being worked out: try again.',
    true,
  ),

  // Rules of the products
  amount_exceeds_max_reward: rule(
    '{amount} {asset} is more than the maximum reward of {maxRewardAmount} {asset}.',
  ),
  amount_below_dust: rule(
    '{field}: {amount} BCH is below {minimum} BCH, the smallest output the network relays.',
  ),
  pool_exhausted: rule('{amount} {asset} is more than the {remaining} {asset} left in the pool.'),
  campaign_not_started: rule('{label} starts at {startDate} (chain time is {chainTime}).'),
  campaign_ended: rule('{label} ended at {endDate} (chain time is {chainTime}).'),
  nothing_claimable: rule('There is nothing to claim from {label} now (next unlock: {nextUnlock}).'),
  nothing_releasable: rule('No milestone of {label} is due now (next unlock: {nextUnlock}).'),
  amount_exceeds_claimable: rule(
    '{amount} {asset} is more than the {claimable} {asset} that can be claimed now.',
  ),
  periods_exceeds_due: rule('{periods} periods are more than the {settled} that are due and funded.'),
  periods_exceeds_left: rule('{periods} periods are more than the {left} that are left to fund.'),
  not_cancelable: rule('{label} was made irrevocable: it can be neither paused nor cancelled.'),
  not_refillable: rule('{label} cannot be refilled.'),
  not_transferable: rule('{label} cannot be transferred.'),
  not_pushable: rule('{label} cannot be pushed: {reason}. Its recipient takes what is due.'),
  amount_below_push_minimum: rule(
    '{amount} {asset} of {label} is due, and a push pays {minimum} {asset} at least: push it later, or let its recipient take it.',
  ),
  nothing_to_recover: rule('Nothing unexpected at {label} can be recovered.'),
  not_recoverable: rule('{outpoint} at {label} cannot be recovered this way: {reason}.'),
  not_payable: rule('{field}: {value} cannot be paid: {reason}.'),
  amount_exceeds_key_maximum: rule(
    'The key {keyName} may move {maximum} {asset} in {period}, of which {used} {asset} are used: this would move {amount} {asset}.',
  ),
  batch_too_large: rule('{count} entries do not fit in one transaction; {maximum} do.'),
  too_many_webhooks: rule(
    '{owner} has {count} webhooks, and more cannot be made over HTTP: remove one first.',
  ),
  already_voted: entry(409, EXIT.rule, '{voter} has voted on this proposal already.'),
  already_signed: entry(409, EXIT.rule, '{signer} has signed this spend already.'),
  voting_ended: rule('Voting ended at {votingEndsAt}.'),
  voting_open: rule('Voting is open until {votingEndsAt}: tokens unlock after it.'),
  token_category_mismatch: rule('This proposal is voted with the token {expected}, not with {found}.'),
  coins_leased: entry(
    409,
    EXIT.rule,
    'The coins that this needs are held by {holder}: broadcast or cancel it first.',
  ),
  coins_in_use: entry(
    409,
    EXIT.pending,
    'The coins of {address} are being spent by another command (process {pid}): try again when it has ended.',
    true,
  ),
  keeper_busy: entry(
    409,
    EXIT.pending,
    'Another keeper (process {pid}) is at work in this home: one is enough. End it first, or let it work.',
    true,
  ),
  lease_lost: entry(
    409,
    EXIT.pending,
    'Another has taken over {work} meanwhile, so nothing was written. Nothing has to be done: it is done there.',
    true,
  ),
  keeper_refused: rule('The keeper leaves {label} alone: {reason}.'),
  coins_gone: entry(409, EXIT.rule, '{label} spends {outpoint}, which is gone: create it again.'),
  too_many_witnesses: entry(
    429,
    EXIT.pending,
    'The authority signs no further pause or cancellation for this now: {reason}, or wait {retryAfter} seconds.',
    true,
  ),
  authority_unfunded: entry(
    503,
    EXIT.network,
    'The authority has no coin to witness with: send {satoshis} satoshis to {address}.',
    true,
  ),
  insufficient_funds: rule('{address} has {available} {asset} to spend, but {needed} {asset} are needed.'),
  preparation_required: rule(
    '{address} has no coin at output index 0 that can start a covenant: sign and broadcast the preparation transaction, then ask again.',
  ),
  network_mismatch: rule('This belongs to the network {found}, and this home works on {expected}.'),

  // The chain
  tx_not_indexed: entry(409, EXIT.pending, 'The chain does not know {txHash} yet: try again shortly.', true),
  tx_mismatch: rule('{txHash} is not the transaction to be confirmed: expected {expected}; found {found}.'),
  tx_invalid: entry(
    502,
    EXIT.network,
    'The chain server shows {txHash}, which breaks the rules of the network ({reason}): nothing of it was taken. Name another server in TREASURY_ELECTRUM.',
    true,
  ),
  tx_conflict: entry(
    409,
    EXIT.refused,
    'The transaction spends {outpoint}, which {spender} has spent already: build it again.',
  ),
  tx_missing_inputs: refused('The transaction spends {outpoint}, which the chain does not know.'),
  tx_not_final: entry(
    409,
    EXIT.pending,
    'The transaction is not final for another {secondsLeft} seconds of chain time.',
    true,
  ),
  tx_dust: refused('Output {output} holds {satoshis} satoshis; {minimum} is the least that is relayed.'),
  tx_fee_too_low: refused(
    'The transaction pays {fee} satoshis for {size} bytes; {minimum} is the least that is relayed.',
  ),
  tx_token_rule: refused('The transaction breaks a token rule: {reason}.'),
  tx_script_failed: refused('A script refuses the transaction: {reason}.'),
  tx_too_large: refused('The transaction has {size} bytes; {limit} is the most that is relayed.'),
  tx_not_standard: refused('The transaction is not relayed: {reason}.'),
  tx_malformed: refused('This is not a transaction: {reason}.'),
  signing_failed: refused('The wallet {wallet} cannot sign this: {reason}.'),
  declined: entry(422, EXIT.declined, 'Declined: nothing was signed and nothing was sent.'),

  // Wallets whose key is elsewhere
  wallet_remote: rule('The key of {wallet} is on a phone ({app}), and never here: {reason}.'),
  wallet_not_remote: rule('{wallet} is no wallet on a phone: its key is in this home.'),
  wallet_declined: entry(
    422,
    EXIT.declined,
    'The wallet {wallet} has declined to {what}: nothing was signed and nothing was sent.',
  ),
  wallet_failed: refused(
    'The wallet {wallet} answers with an error of its own ({reason}): nothing was sent.',
  ),
  wallet_silent: entry(
    503,
    EXIT.pending,
    'The wallet {wallet} is there, and nobody has answered within {seconds} seconds: {remedy}.',
    true,
  ),
  wallet_offline: entry(
    503,
    EXIT.network,
    'The wallet {wallet} does not answer, nor does it say that it is there ({seconds} seconds): open {app} on the phone, then run the same command again.',
    true,
  ),
  wallet_not_paired: entry(
    503,
    EXIT.pending,
    'No wallet has answered within {seconds} seconds: {remedy}.',
    true,
  ),
  wallet_network_mismatch: rule(
    "The wallet {app} is on {found}, and this home works on {network} ({chain}): change the network in the wallet, or name the home's with --network.",
  ),
  wallet_account_mismatch: rule(
    'The wallet {wallet} is {expected}, and {app} speaks for {found} now: choose the first one in the app, or connect the other under another name.',
  ),
  wallet_proof_failed: refused(
    'The wallet {app} has not proven that {address} is its own ({reason}): it was not connected.',
  ),
  wallet_session_ended: rule(
    'The session with {wallet} has ended ({reason}): `treasury wallet connect --name {wallet}` begins another.',
  ),
  wallet_unsupported: rule('{app} cannot do this for {wallet}: {reason}.'),
  wallet_answer_differs: refused(
    'What {wallet} has signed is not what it was asked to sign ({reason}): nothing was sent.',
  ),
  wallet_busy: entry(
    409,
    EXIT.pending,
    'The wallet {wallet} is being asked by another command (process {pid}): try again when it has ended.',
    true,
  ),
  project_id_missing: invalid(
    'WalletConnect needs a project id of your own: make one at https://dashboard.reown.com (it costs nothing), and set TREASURY_WALLETCONNECT_PROJECT_ID to it.',
  ),
  project_id_refused: rule(
    'The relay {relay} refuses the project id {projectId} ({reason}): look at it at https://dashboard.reown.com, and set TREASURY_WALLETCONNECT_PROJECT_ID.',
  ),
  relay_unavailable: entry(
    503,
    EXIT.network,
    'The relay {relay} cannot be reached ({reason}). Try again shortly.',
    true,
  ),

  // What the service stands on
  chain_unavailable: entry(503, EXIT.network, 'The chain cannot be reached: {reason}.', true),
  server_disagrees: entry(
    409,
    EXIT.network,
    'The chain servers do not agree, and nothing was changed: {reason}.',
    true,
  ),
  price_unavailable: entry(502, EXIT.network, 'No price source answers: try again shortly.', true),
  rate_unavailable: entry(
    502,
    EXIT.network,
    '{amount} needs a signed price of BCH younger than 10 minutes, and {found}: write the amount in BCH, or try again shortly.',
    true,
  ),
  authority_locked: entry(
    503,
    EXIT.network,
    'The authority key is locked: start the service with its passphrase (TREASURY_PASSPHRASE_FILE).',
    true,
  ),
  authority_missing: entry(503, EXIT.rule, 'This home has no authority key: run `treasury init`.'),
  wallet_locked: entry(
    403,
    EXIT.notAllowed,
    'The wallet {wallet} is locked: give its passphrase at the prompt or in TREASURY_PASSPHRASE_FILE.',
  ),
  wrong_passphrase: entry(403, EXIT.notAllowed, 'That is not the passphrase of {wallet}.'),
  store_damaged: entry(500, EXIT.unexpected, '{file} is damaged at {where}: {remedy}.'),
  store_locked: entry(
    503,
    EXIT.pending,
    'Another process (pid {pid}) has held {file} for {seconds} seconds: try again.',
    true,
  ),
  store_unreachable: entry(
    503,
    EXIT.network,
    'The database {database} cannot be reached ({reason}): nothing was stored. Try again shortly.',
    true,
  ),
  commit_unknown: entry(
    500,
    EXIT.unexpected,
    'The connection to the database {database} was lost while this was being stored ({reason}), and whether it was is not known: look before you do it again.',
  ),
  database_refused: entry(
    503,
    EXIT.rule,
    'The database {database} refuses this program ({reason}): check TREASURY_DATABASE_URL, and what its role may do.',
  ),
  store_not_migrated: entry(
    503,
    EXIT.rule,
    'The database {database} has not what this version of treasury needs: run `treasury database migrate` with a role that may make tables.',
  ),
  other_chain: entry(
    503,
    EXIT.rule,
    'The records in the database {database} are of another chain: block {height} is {hash} there and {other} here. One chain for each database: name another database in TREASURY_DATABASE_URL, or work where that chain is.',
  ),
  copy_differs: entry(409, EXIT.rule, 'The copy is not right: {reason}. {remedy}.'),
  copy_target_used: entry(
    409,
    EXIT.rule,
    '{target} holds records already, and a copy goes into what is empty. If they are of a copy that was stopped half-way: {remedy}.',
  ),
  store_in_use: entry(
    409,
    EXIT.pending,
    'At work on the records in {place}: {processes}. Stop that first, then copy; what was killed elsewhere counts for another 15 seconds.',
    true,
  ),
  record_damaged: conflict(
    '{label} is damaged in this home: its terms give the address {expected}, not {found}. Nothing is done with it until `treasury doctor --restore` has mended it.',
  ),
  storage_full: entry(
    507,
    EXIT.network,
    'There is no room for {file} ({reason}): nothing was stored. Make room, then try again.',
    true,
  ),
  storage_read_only: entry(
    503,
    EXIT.rule,
    '{file} cannot be written ({reason}): nothing was stored. Reading works; to change anything, run this as one who may write there, on a disk or a server that takes it.',
  ),
  too_many_files: entry(
    503,
    EXIT.network,
    'Too many files are open ({reason}): raise the limit of open files (`ulimit -n`), then try again.',
    true,
  ),
  store_too_new: entry(
    500,
    EXIT.unexpected,
    '{file} was written by a newer version (schema {found}; this one reads {expected}): upgrade treasury.',
  ),
  unknown_contract_version: entry(
    422,
    EXIT.rule,
    'This treasury knows no version {fingerprint} of the contract {contract}: upgrade treasury to the version that made it.',
  ),
  local_only: entry(
    422,
    EXIT.rule,
    '`{command}` works on the embedded chain only, and the network is {network}.',
  ),
  shutting_down: entry(503, EXIT.network, 'The service is stopping: try again shortly.', true),
  internal_error: entry(
    500,
    EXIT.unexpected,
    'Something went wrong here (request {requestId}): the log says what.',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** What an error of this code must say about itself: the names in its message, and anything more. */
export type ErrorDetails<Code extends ErrorCode> = Record<
  Placeholder<(typeof ERRORS)[Code]['message']>,
  unknown
> &
  Record<string, unknown>;

/** One problem of one field of a request. `path` is dotted and 0-based (`entries.3.totalAmount`). */
export type Issue = { readonly path: string; readonly message: string };

/** Characters of a value of a request that are shown of it. */
const MOST_SHOWN = 100;

/** A value of a request as it is shown: its first characters. */
export const cut = (text: string): string =>
  text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 3)}...` : text;

/** Details that repeat what a request said. */
const ECHOES: readonly string[] = [
  'id',
  'value',
  'address',
  'path',
  'key',
  'contentType',
  'host',
  'name',
  'origin',
];

const cutEchoes = (details: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      typeof value === 'string' && ECHOES.includes(name) ? cut(value) : value,
    ]),
  );

const describe = (value: unknown): string => {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.map(describe).join(' or ');
  return typeof value === 'string' || typeof value === 'bigint' ? String(value) : JSON.stringify(value);
};

/** Details that are unix seconds: messages show them as dates. */
const MOMENTS: readonly string[] = ['startDate', 'endDate', 'chainTime', 'nextUnlock'];

const describeDetail = (name: string, value: unknown): string =>
  typeof value === 'number' && MOMENTS.includes(name) ? momentText(value) : describe(value);

const fillMessage = (message: string, details: Record<string, unknown>): string =>
  message.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    name in details ? describeDetail(name, details[name]) : placeholder,
  );

/** A failure with a name. Everything that goes wrong for a reason is one of these; anything else is a defect. */
export class TreasuryError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly details: Record<string, unknown>;

  constructor(
    code: Code,
    ...[details, options]: Placeholder<(typeof ERRORS)[Code]['message']> extends never
      ? [details?: Record<string, unknown>, options?: ErrorOptions]
      : [details: ErrorDetails<Code>, options?: ErrorOptions]
  ) {
    const shown = cutEchoes(details ?? {});
    super(fillMessage(ERRORS[code].message, shown), options);
    this.name = 'TreasuryError';
    this.code = code;
    this.details = shown;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get exit(): number {
    return ERRORS[this.code].exit;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}

/** The body of an error answer: `{ success: false, code, error, retryable, ...details }`. */
export const errorBody = (error: TreasuryError): Record<string, unknown> => ({
  ...error.details,
  success: false,
  code: error.code,
  error: error.message,
  retryable: error.retryable,
});

/** A field of a request that cannot be used, by its dotted path; one of no field in particular has the path ''. */
export const invalidField = (path: string, message: string): TreasuryError =>
  new TreasuryError('invalid_input', {
    summary: path === '' ? message : `${path}: ${message}`,
    issues: [{ path, message }],
  });

/** True for a failure with a name. A guard, since `instanceof` alone leaves the code of the error open. */
export const isTreasuryError = (error: unknown): error is TreasuryError => error instanceof TreasuryError;

/** What went wrong in words. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
