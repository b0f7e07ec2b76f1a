/** What to do next, by error code. */
import { ERRORS, type TreasuryError } from '../errors.js';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const help = (_error: TreasuryError, command: string): string =>
  `\`treasury ${command === '' ? '' : `${command} `}--help\` shows what it takes`;

/** Names are never guessed: the nearest is only said. */
const contact = ({ details }: TreasuryError): string => {
  const nearest = text(details['nearest']);
  const list = '`treasury contacts list` shows what there is, `treasury contacts add` makes one';
  return nearest === '' ? list : `use @${nearest}, if that is who you mean; ${list}`;
};

/** A name where an address is expected is most likely that of somebody. */
const address = (error: TreasuryError, command: string): string =>
  /^[\w-]+$/.test(text(error.details['value']))
    ? 'give the address itself, or @name for a contact; `treasury wallet address <name>` shows that of a wallet'
    : help(error, command);

/** Whole steps build anew; a transaction in a file stays what it is. */
const again = (_error: TreasuryError, command: string): string | null =>
  command.startsWith('tx ') ? null : 'run the same command again';

const HINTS: Readonly<Record<string, (error: TreasuryError, command: string) => string | null>> = {
  contact_not_found: contact,
  invalid_input: help,
  missing_value: help,
  invalid_address: address,
  invalid_amount: help,
  invalid_setting: () => '`treasury config list --show-origin` shows every setting and where it comes from',
  unauthenticated: () => '`treasury init` makes a wallet; `--wallet` or `--as` names one',
  insufficient_funds: ({ details }) =>
    text(details['asset']) === 'BCH'
      ? `send BCH to ${text(details['address'])} (on \`local\`: \`treasury chain faucet ${text(details['address'])} 1\`)`
      : `send the tokens to ${text(details['address'])}, in its token-aware form`,
  preparation_required: () =>
    'run it without --unsigned, or sign and broadcast the preparation transaction first',
  tx_not_indexed: again,
  tx_conflict: again,
  store_conflict: again,
  store_locked: again,
  tx_missing_inputs: again,
  tx_not_final: again,
  chain_unavailable: () =>
    'check the network, and TREASURY_ELECTRUM if you set it; then run the same command again',
  server_disagrees: () =>
    'run the same command again: another server is asked then; `treasury doctor` shows what each of them says',
  authority_missing: () => '`treasury init` makes the authority key',
  signing_failed: () => '`--wallet` names another wallet; `--unsigned` prints the transaction for any wallet',
  local_only: () => 'use `--network local`',
};

/** One line on what to do next, or null when the message says it all. */
export const hintFor = (error: TreasuryError, command: string): string | null => {
  const known = ERRORS[error.code];
  const list = 'list' in known ? known.list : undefined;
  // Some messages say it themselves.
  if (list !== undefined) {
    return error.message.includes(`treasury ${list}`) ? null : `\`treasury ${list}\` shows what there is`;
  }
  return HINTS[error.code]?.(error, command) ?? null;
};
