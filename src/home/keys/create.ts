/** Making a key for a script: its text leaves once, and a hash of it stays. */
import { z } from 'zod';
import { Seconds } from '../../bch/fields.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { defineOperation, SIGN_ERRORS, type Offer, type RunContext } from '../../operation/define.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { keyTeller } from '../../operation/script-keys/refusals.js';
import {
  hashOfKey,
  newKeyText,
  scriptKeyCollection,
  shownOf,
  type ScriptKeyRecord,
} from '../../operation/script-keys/script-key.js';
import { nextLabel, shellLabel } from '../../record/labels.js';
import { proveHolder } from '../wallets/prove.js';
import { factsOfKey, isLive, KeyReply, showKey } from './key-reply.js';
import { readMaximums, readNetworks, readRecords } from './limits.js';
import { permissionsOf, readPermissions } from './permissions.js';

const DAY = 86_400;
const KEY_LABEL = 'KEY';
const MOST_KEYS = 100;

const KeyName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'expected 1 to 40 letters, digits, dots and dashes');
const Words = z.array(z.string().min(1).max(500)).max(100);

const input = z.object({
  name: KeyName.describe('What you call it'),
  allow: Words.min(1).describe(
    'What it may do: streams:claim (the step and its confirmation), streams:read, streams:*, *:read; several with commas',
  ),
  records: Words.optional().describe(
    'Labels or ids of the records that it is for, several with commas; default all. Lists are refused then',
  ),
  max: Words.optional().describe(
    'The most that it may move in a time, such as 0.5/30d, or 100 TEAM/7d for a token; default no limit',
  ),
  expires: Seconds.min(60)
    .max(5 * 365 * DAY)
    .default(90 * DAY)
    .describe('How long it is good, seconds; default 90 days'),
  from: Words.optional().describe(
    'Networks that it is taken from, such as 203.0.113.0/24; default anywhere. Behind a proxy that is the address of the proxy',
  ),
});

type Asked = z.output<typeof input>;
type Terms = Pick<ScriptKeyRecord, 'allow' | 'records' | 'maximums' | 'networks'>;

/** What a key is to be allowed and limited to. @throws invalid_input, invalid_amount */
const readTerms = async (
  { allow, records = [], max = [], from = [] }: Asked,
  offers: readonly Offer[],
  store: StoreReader,
): Promise<Terms> => ({
  allow: [...readPermissions(allow, permissionsOf(offers))],
  records: await readRecords(records, offers, store),
  maximums: await readMaximums(max, store),
  networks: [...readNetworks(from)],
});

/** The rest of what is kept of a key; its label comes with the commit. */
const draftKey = (text: string, { name, expires }: Asked, context: RunContext<'bearer'>) => {
  const now = context.clock.wall();
  return {
    id: context.uuid(),
    name,
    address: context.caller.text,
    hash: hashOfKey(text),
    ...shownOf(text),
    expires_at: now + expires,
    created_at: now,
    revoked_at: null,
    last_used_at: null,
    last_refused_at: null,
  };
};

/** @throws key_exists, invalid_input, and as `transaction` of the store */
const keepKey = async (
  drafted: Omit<ScriptKeyRecord, 'label'>,
  context: Pick<Context, 'store' | 'eventTeller'>,
) => {
  const tell = await keyTeller(context);
  return context.store.transaction(async (writer) => {
    const { name, address, created_at: time, allow } = drafted;
    await checkNew(name, address, writer);
    const key: ScriptKeyRecord = { ...drafted, label: await nextLabel(writer, KEY_LABEL) };
    writer.put(scriptKeyCollection, key);
    await tell(writer, { type: 'key.created', key, time, data: { allow } });
    return key;
  });
};

/** What whoever makes a key has to know of how the home is served; null: nothing. */
const warningOf = ({ serving }: Pick<Context, 'serving'>): string | null => {
  if (serving === undefined || serving.requiresKeys || !serving.trustsAddressHeader) return null;
  return 'This key restricts nobody where x-user-address is taken on its word, as it is on loopback and with --trust-address-header: whoever reaches the service can leave the key out and name the address. `treasury serve --require-keys` refuses everything but keys.';
};

/** @throws key_exists, invalid_input */
const checkNew = async (name: string, address: string, store: StoreReader): Promise<void> => {
  const live = (await store.find(scriptKeyCollection, { where: { address } })).items.filter(isLive);
  const other = live.find((key) => key.name === name);
  if (other !== undefined) throw new TreasuryError('key_exists', { name, label: other.label });
  if (live.length >= MOST_KEYS)
    throw new TreasuryError('invalid_input', {
      summary: `name: there are ${MOST_KEYS} keys that are not revoked, which is the most: revoke one first`,
      issues: [{ path: 'name', message: `there are ${MOST_KEYS} keys already` }],
    });
};

/** At the terminal, whoever asks can use the key of the address, just as for an access token. */
const proveAtTerminal = async (context: RunContext<'bearer'>): Promise<void> => {
  if (context.isAtTerminal !== true) return;
  await proveHolder(context.caller, context);
};

/** The operation. @param loadOffers all that there is to allow */
export const defineCreate = (loadOffers: () => Promise<readonly Offer[]>) =>
  defineOperation({
    id: 'keys.create',
    summary: 'Make a key for a script: it acts for you over HTTP, and may do what you allow',
    description:
      'The key is shown once. Send it as "Authorization: Bearer tk_...". What it does not allow is refused with key_not_allowed, and it makes, lists and revokes no keys.',
    http: { method: 'POST', path: '/api/keys', status: 201 },
    cli: {
      guide: false,
      example:
        'keys create --name ci --allow streams:read,payments:claim --records PAY-0001 --max 0.5/30d --expires 90d',
    },
    auth: 'bearer',
    forKeys: 'never',
    input,
    output: z.object({
      success: z.literal(true),
      key: z.string().describe('Shown this once: what is kept of it is a hash'),
      ...KeyReply.shape,
      warning: z.string().nullable().describe('Where it restricts nobody'),
    }),
    errors: ['invalid_amount', 'key_exists', ...SIGN_ERRORS],
    run: async (asked, context) => {
      // Check: what it is allowed is there, and who asks may act for the address.
      const { store, caller } = context;
      const terms = await readTerms(asked, await loadOffers(), store);
      await checkNew(asked.name, caller.text, store);
      await proveAtTerminal(context);

      // Record: its hash, before it leaves.
      const text = newKeyText(context.random);
      const made = await keepKey({ ...draftKey(text, asked, context), ...terms }, context);
      const warning = warningOf(context);
      return { success: true as const, key: text, ...(await showKey(made, context)), warning };
    },
    view: ({ key, warning, ...shown }) => [
      { kind: 'text', text: key },
      { kind: 'text', text: 'This is the key. Keep it now: it is not shown again.' },
      factsOfKey(shown),
      ...(warning === null ? [] : [{ kind: 'text' as const, text: `Warning: ${warning}` }]),
      {
        kind: 'next',
        command: `keys revoke ${shellLabel(shown.label)}`,
        why: 'to void it, at once, whenever you want',
      },
    ],
  });
