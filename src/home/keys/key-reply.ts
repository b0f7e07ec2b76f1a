/** A key in replies, and for people: never its text. */
import { z } from 'zod';
import { displayNumber, formatUnits } from '../../bch/amount.js';
import { showDuration } from '../../bch/duration.js';
import { showDate } from '../../bch/show-date.js';
import { column } from '../../operation/columns.js';
import type { StoreReader } from '../../operation/ports/store.js';
import type { Context } from '../../operation/context.js';
import type { ViewBlock } from '../../operation/define.js';
import type { KeyMaximum, ScriptKeyRecord } from '../../operation/script-keys/script-key.js';
import { buildsOf, usedOf } from '../../operation/script-keys/used.js';

const MaximumReply = z.object({
  asset: z.string().describe('BCH, or the symbol of a token'),
  tokenCategory: z.string().nullable(),
  maximum: z.number().describe('Display units'),
  maximumOnChain: z.string().describe('Smallest unit'),
  periodSeconds: z.number(),
  used: z.number().describe('Of it, what counts now'),
  usedOnChain: z.string(),
});

export const KeyReply = z.object({
  label: z.string(),
  name: z.string(),
  shown: z.string().describe('What is shown of the key: its beginning and its last four letters'),
  address: z.string().describe('Who made it, and for whom it acts'),
  status: z.enum(['active', 'expired', 'revoked']),
  allow: z.array(z.string()),
  records: z.array(z.string()).nullable().describe('Null: all'),
  maximums: z.array(MaximumReply),
  networks: z.array(z.string()).describe('From where it is taken; none: from anywhere'),
  createdAt: z.number().describe('Unix seconds'),
  expiresAt: z.number().describe('Unix seconds'),
  revokedAt: z.number().nullable().describe('Unix seconds'),
  lastUsedAt: z.number().nullable().describe('Unix seconds, to the minute'),
  lastRefusedAt: z.number().nullable().describe('Unix seconds, to the minute'),
});
export type KeyReply = z.output<typeof KeyReply>;

/** True for a key that nobody has revoked. */
export const isLive = ({ revoked_at }: ScriptKeyRecord): boolean => revoked_at === null;

const statusOf = ({ revoked_at, expires_at }: ScriptKeyRecord, wallNow: number): KeyReply['status'] =>
  revoked_at !== null ? 'revoked' : wallNow >= expires_at ? 'expired' : 'active';

const showMaximum = ({ category, symbol, decimals, amount, seconds }: KeyMaximum, used: bigint) => ({
  asset: symbol,
  tokenCategory: category,
  maximum: displayNumber(amount, decimals),
  maximumOnChain: amount.toString(),
  periodSeconds: seconds,
  used: displayNumber(used, decimals),
  usedOnChain: used.toString(),
});

/** For the schema, see {@link KeyReply}. */
export const showKey = async (
  key: ScriptKeyRecord,
  { store, clock }: { readonly store: StoreReader } & Pick<Context, 'clock'>,
): Promise<KeyReply> => {
  const now = clock.wall();
  const builds = key.maximums.length === 0 ? [] : await buildsOf(key, store);
  return {
    label: key.label,
    name: key.name,
    shown: `${key.prefix}…${key.last_four}`,
    address: key.address,
    status: statusOf(key, now),
    allow: key.allow,
    records: key.records?.map(({ name }) => name) ?? null,
    maximums: key.maximums.map((maximum) => showMaximum(maximum, usedOf(builds, maximum, now))),
    networks: key.networks,
    createdAt: key.created_at,
    expiresAt: key.expires_at,
    revokedAt: key.revoked_at,
    lastUsedAt: key.last_used_at,
    lastRefusedAt: key.last_refused_at,
  };
};

const inWords = (
  { maximumOnChain, usedOnChain, asset, periodSeconds }: KeyReply['maximums'][number],
  decimals: number,
) =>
  `${formatUnits(BigInt(maximumOnChain), decimals)} ${asset} in ${showDuration(periodSeconds)}, of which ${formatUnits(BigInt(usedOnChain), decimals)} are used`;

/** The decimals of a shown maximum: its number and its exact figure say them. */
const decimalsOf = ({ maximum, maximumOnChain }: KeyReply['maximums'][number]): number =>
  Math.max(0, Math.round(Math.log10(Number(maximumOnChain) / maximum)));

/** A key for people. */
export const factsOfKey = (key: KeyReply): ViewBlock => ({
  kind: 'facts',
  rows: [
    ['Key', `${key.name} (${key.label})`],
    ['Shown as', key.shown],
    ['Status', key.revokedAt === null ? key.status : `revoked ${showDate(key.revokedAt)}`],
    ['Acts for', key.address],
    ['Allows', key.allow.join(', ')],
    ['Records', key.records?.join(', ') ?? 'all that this address may see'],
    ...(key.maximums.length === 0
      ? [['Moves at most', 'no limit'] as const]
      : key.maximums.map((one) => ['Moves at most', inWords(one, decimalsOf(one))] as const)),
    ['From', key.networks.length === 0 ? 'anywhere' : key.networks.join(', ')],
    ['Made', showDate(key.createdAt)],
    ['Expires', showDate(key.expiresAt)],
    ['Last used', showDate(key.lastUsedAt, 'never')],
    ...(key.lastRefusedAt === null ? [] : [['Last refused', showDate(key.lastRefusedAt)] as const]),
  ],
});

/** Keys for people. */
export const tableOfKeys = (keys: readonly KeyReply[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Key'),
    column.text('Label'),
    column.text('Shown as'),
    column.text('Status'),
    column.date('Expires'),
    column.date('Last used'),
    column.text('Allows', 2),
  ],
  rows: keys.map((key) => [
    key.name,
    key.label,
    key.shown,
    key.status,
    showDate(key.expiresAt),
    showDate(key.lastUsedAt, 'never'),
    key.allow.join(', '),
  ]),
  tones: { active: 'green', expired: 'yellow', revoked: 'red' },
  empty: 'No keys yet. `treasury keys create --name ci --allow "*:read"` makes one.',
});
