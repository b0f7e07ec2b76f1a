import test from 'ava';
import { errorBody, ERRORS, EXIT, TreasuryError, type ErrorCode } from '../src/errors.js';

/** Every code there has ever been, in the order of the table. A code is never renamed: only add to this list. */
const codes: readonly string[] = [
  'invalid_input',
  'invalid_json',
  'invalid_address',
  'invalid_amount',
  'invalid_file',
  'invalid_setting',
  'missing_value',
  'request_too_large',
  'unsupported_media_type',
  'method_not_allowed',
  'too_many_requests',
  'too_many_streams',
  'host_not_allowed',
  'invalid_request',
  'origin_not_allowed',
  'idempotency_mismatch',
  'idempotency_in_progress',
  'unauthenticated',
  'invalid_token',
  'token_expired',
  'invalid_challenge',
  'challenge_expired',
  'challenge_used',
  'invalid_signature',
  'address_token_mismatch',
  'not_creator',
  'not_sender',
  'not_recipient',
  'not_controller',
  'not_voter',
  'not_vault_signer',
  'not_vault_member',
  'private_vault',
  'caller_mismatch',
  'not_signer',
  'route_not_found',
  'reward_not_found',
  'vault_not_found',
  'budget_not_found',
  'stream_not_found',
  'batch_not_found',
  'template_not_found',
  'payment_not_found',
  'proposal_not_found',
  'spend_not_found',
  'vote_not_found',
  'deployment_not_found',
  'wallet_not_found',
  'contact_not_found',
  'webhook_not_found',
  'delivery_not_found',
  'webhook_exists',
  'too_many_webhooks',
  'invalid_url',
  'token_not_found',
  'wrong_state',
  'wallet_exists',
  'home_exists',
  'store_conflict',
  'amount_exceeds_max_reward',
  'amount_below_dust',
  'amount_below_push_minimum',
  'pool_exhausted',
  'campaign_not_started',
  'campaign_ended',
  'nothing_claimable',
  'nothing_releasable',
  'amount_exceeds_claimable',
  'periods_exceeds_due',
  'periods_exceeds_left',
  'not_cancelable',
  'not_pushable',
  'not_refillable',
  'not_transferable',
  'nothing_to_recover',
  'not_recoverable',
  'not_payable',
  'batch_too_large',
  'already_voted',
  'already_signed',
  'voting_ended',
  'voting_open',
  'token_category_mismatch',
  'keeper_busy',
  'lease_lost',
  'keeper_refused',
  'coins_in_use',
  'coins_leased',
  'coins_gone',
  'too_many_witnesses',
  'authority_unfunded',
  'insufficient_funds',
  'preparation_required',
  'network_mismatch',
  'tx_not_indexed',
  'tx_mismatch',
  'tx_invalid',
  'server_disagrees',
  'tx_conflict',
  'tx_missing_inputs',
  'tx_not_final',
  'tx_dust',
  'tx_fee_too_low',
  'tx_token_rule',
  'tx_script_failed',
  'tx_too_large',
  'tx_not_standard',
  'tx_malformed',
  'signing_failed',
  'declined',
  'wallet_remote',
  'wallet_not_remote',
  'wallet_declined',
  'wallet_failed',
  'wallet_silent',
  'wallet_offline',
  'wallet_not_paired',
  'wallet_network_mismatch',
  'wallet_account_mismatch',
  'wallet_proof_failed',
  'wallet_session_ended',
  'wallet_unsupported',
  'wallet_answer_differs',
  'wallet_busy',
  'project_id_missing',
  'project_id_refused',
  'relay_unavailable',
  'chain_unavailable',
  'server_disagrees',
  'price_unavailable',
  'rate_unavailable',
  'authority_locked',
  'authority_missing',
  'wallet_locked',
  'wrong_passphrase',
  'store_damaged',
  'store_locked',
  'store_unreachable',
  'commit_unknown',
  'database_refused',
  'store_not_migrated',
  'other_chain',
  'copy_differs',
  'copy_target_used',
  'store_in_use',
  'record_damaged',
  'storage_full',
  'storage_read_only',
  'too_many_files',
  'store_too_new',
  'local_only',
  'unknown_contract_version',
  'shutting_down',
  'internal_error',
  'invalid_key',
  'key_expired',
  'key_revoked',
  'key_required',
  'key_not_allowed',
  'amount_exceeds_key_maximum',
  'key_not_found',
  'key_exists',
];

type Entry = (typeof ERRORS)[ErrorCode];

const entries = Object.entries(ERRORS) as [ErrorCode, Entry][];

const placeholdersOf = (message: string): string[] =>
  [...message.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The class with the types of its details forgotten, as callers of plain JavaScript see it. */
const createError = TreasuryError as new (
  code: ErrorCode,
  details?: Record<string, unknown>,
  options?: ErrorOptions,
) => TreasuryError;

test('errors › every code that there was is still there', (t) => {
  t.deepEqual(
    codes.filter((code) => !Object.hasOwn(ERRORS, code)),
    [],
  );
});

test('errors › every code of the table is in the list above', (t) => {
  t.deepEqual(
    Object.keys(ERRORS).filter((code) => !codes.includes(code)),
    [],
  );
});

/** The statuses there are, and which exit codes go with each: a script that reads one of them learns the same from the other. */
const exitsOf: Readonly<Record<number, readonly number[]>> = {
  400: [EXIT.invalid],
  401: [EXIT.notAllowed],
  403: [EXIT.notAllowed],
  404: [EXIT.notFound],
  405: [EXIT.invalid],
  409: [EXIT.rule, EXIT.refused, EXIT.pending, EXIT.network],
  413: [EXIT.invalid],
  415: [EXIT.invalid],
  422: [EXIT.rule, EXIT.refused, EXIT.declined],
  429: [EXIT.pending],
  500: [EXIT.unexpected],
  502: [EXIT.network],
  503: [EXIT.network, EXIT.pending, EXIT.rule],
  507: [EXIT.network],
};

/** What must hold of every entry. */
const laws: readonly (readonly [law: string, holds: (code: ErrorCode, entry: Entry) => boolean])[] = [
  ['its name is in snake case', (code) => /^[a-z]+(?:_[a-z]+)*$/.test(code)],
  ['its status is a known one', (_, { status }) => status in exitsOf],
  ['its exit code goes with its status', (_, { status, exit }) => exitsOf[status]?.includes(exit) === true],
  [
    'it ends as not found exactly when it is 404',
    (code, { status }) => code.endsWith('_not_found') === (status === 404),
  ],
  [
    'it begins as invalid only when it is 400 or 401',
    (code, { status }) => !code.startsWith('invalid_') || status === 400 || status === 401,
  ],
  [
    'it says who one is not only when it is 403, and what cannot be done only when it is 422',
    (code, { status }) => !code.startsWith('not_') || status === (code.endsWith('able') ? 422 : 403),
  ],
  [
    'it tells of an excess only when it is 422',
    (code, { status }) => !code.includes('_exceeds_') || status === 422,
  ],
  ['it is retryable when its exit code is 8', (_, { exit, retryable }) => exit !== EXIT.pending || retryable],
  [
    'its exit code is 7 or 8 exactly when it is retryable: a script knows by it what to try again',
    (_, { exit, retryable }) => retryable === (exit === EXIT.pending || exit === EXIT.network),
  ],
  ['its message is a sentence', (_, { message }) => message.endsWith('.')],
  [
    'its message shows every detail it asks for, and no placeholder is left',
    (code, { message }) => {
      const names = placeholdersOf(message);
      const details = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
      const filled = new createError(code, details).message;
      return !/[{}]/.test(filled) && names.every((name) => filled.includes(`<${name}>`));
    },
  ],
];

for (const [law, holds] of laws) {
  test(`errors › given any code › ${law}`, (t) => {
    t.deepEqual(
      entries.filter(([code, entry]) => !holds(code, entry)).map(([code]) => code),
      [],
    );
  });
}

test('error › given a code › it carries its status, exit code and whether to try again', (t) => {
  const error = new TreasuryError('chain_unavailable', { reason: 'no server answers' });
  t.like(error, { name: 'TreasuryError', code: 'chain_unavailable', status: 503, exit: 7, retryable: true });
  t.is(error.message, 'The chain cannot be reached: no server answers.');
});

test('error › given a cause › it keeps it', (t) => {
  const cause = new Error('connection refused');
  t.is(new TreasuryError('chain_unavailable', { reason: 'x' }, { cause }).cause, cause);
});

test('error › given details that look like replacement patterns › they stand as they are', (t) => {
  t.is(
    new TreasuryError('chain_unavailable', { reason: "$& $1 $' {reason}" }).message,
    "The chain cannot be reached: $& $1 $' {reason}.",
  );
});

const shown: readonly (readonly [name: string, value: unknown, text: string])[] = [
  ['a list', ['ACTIVE', 'PAUSED'], 'ACTIVE or PAUSED'],
  ['a number', 5, '5'],
  ['null', null, 'none'],
  ['a bigint', 5n, '5'],
];

for (const [name, value, text] of shown) {
  test(`error › given ${name} in its details › the message shows it`, (t) => {
    const error = new TreasuryError('wrong_state', { label: '#A', status: 'PENDING', allowed: value });
    t.is(error.message, `#A is PENDING; this needs ${text}.`);
  });
}

test('error › given a detail that is missing › the placeholder stays to be seen', (t) => {
  t.is(new createError('chain_unavailable').message, 'The chain cannot be reached: {reason}.');
});

test('error body › given details › they stand beside code, sentence and retryable', (t) => {
  t.deepEqual(errorBody(new TreasuryError('reward_not_found', { id: 'x' })), {
    success: false,
    code: 'reward_not_found',
    error: 'There is no reward campaign "x".',
    retryable: false,
    id: 'x',
  });
});

test('error body › given details with the names of its own fields › its own stand', (t) => {
  const error = new TreasuryError('reward_not_found', { id: 'x', success: true, code: 'y', retryable: true });
  t.like(errorBody(error), { success: false, code: 'reward_not_found', retryable: false });
});
