/** How things stand: what there is, what waits for the caller, what they can take, what falls due, what ends, what failed. */
import { z } from 'zod';
import { BCH_DECIMALS, formatUnits, showAmounts } from '../bch/amount.js';
import { holdingsOf, sumSatoshis } from '../bch/coins.js';
import { showDate } from '../bch/show-date.js';
import { column } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import { defineOperation, KEYS_ERRORS, type View, type ViewBlock } from '../operation/define.js';
import type { WalletInfo } from '../operation/ports/keys.js';
import { listNow, orStale, StaleReply, type Stale } from '../operation/stale.js';
import { HoldingReply, showHoldings, tokenAsset } from '../record/assets.js';
import { MATTER_KINDS, type Matter, type MatterKind, type MattersOf } from '../record/matter.js';
import { pendingStepCollection } from '../record/pending-steps.js';
import type { KnownAction } from './step-command.js';

const amount = z.number().describe('Display units');
const onChain = z.string().describe('Smallest unit');

const WalletShown = z.object({
  name: z.string(),
  address: z.string(),
  isDefault: z.boolean(),
  isAuthority: z.boolean(),
  balance: z.number().nullable().describe('BCH; null while no chain server answers'),
  balanceOnChain: z.string().nullable().describe('Satoshis'),
  tokens: z.array(HoldingReply),
});

const asset = {
  symbol: z.string(),
  tokenCategory: z.string().nullable().describe('Null: BCH'),
  decimals: z.number(),
};
export const Sum = z.object({ ...asset, amount, amountOnChain: onChain });

export const MatterShown = z.object({
  kind: z.enum(MATTER_KINDS),
  label: z.string(),
  what: z.string(),
  amount: Sum.nullable(),
  at: z.number().nullable().describe('Unix seconds; null: now'),
  by: z.string().describe('Address of the wallet that acts'),
  wallet: z.string(),
  command: z
    .string()
    .nullable()
    .describe('What acts on it, without `treasury`; null: nothing to do but wait'),
  page: z.string().optional().describe('Where the page shows it, where its label does not say that'),
});
type MatterShown = z.output<typeof MatterShown>;

const output = z.object({
  network: z.string(),
  chainTime: z.number().describe('Unix seconds'),
  wallets: z.array(WalletShown),
  claimable: z.array(Sum).describe('What can be claimed now, by asset'),
  matters: z.array(MatterShown).describe('What concerns the wallets of this home, in the order of urgency'),
  ...StaleReply,
});
type Overview = z.output<typeof output>;

export const MONTH = 30 * 86_400;

/** What a wallet holds; no balance while the chain is away. */
const showWallet = async (
  { name, address, isDefault, isAuthority }: WalletInfo,
  { chain, store }: Pick<Context, 'chain' | 'store'>,
): Promise<{ readonly wallet: z.output<typeof WalletShown>; readonly stale: Stale }> => {
  const { found, stale } = await orStale(
    () => chain.coins(address.lockingBytecode),
    () => null,
  );
  const about = { name, address: address.text, isDefault, isAuthority };
  if (found === null) return { wallet: { ...about, balance: null, balanceOnChain: null, tokens: [] }, stale };
  const balances = showAmounts({ balance: sumSatoshis(found) }, BCH_DECIMALS);
  return { wallet: { ...about, ...balances, tokens: await showHoldings(holdingsOf(found), store) }, stale };
};

type Amount = NonNullable<Matter['amount']>;

export const showSum = async (
  { units, decimals, category }: Amount,
  { store }: Pick<Context, 'store'>,
): Promise<z.output<typeof Sum>> => ({
  symbol: category === null ? 'BCH' : (await tokenAsset(category, store)).symbol,
  tokenCategory: category,
  decimals,
  ...showAmounts({ amount: units }, decimals),
});

/** What can be claimed of each asset, BCH first. */
export const sumClaims = (matters: readonly Matter[], context: Pick<Context, 'store'>) => {
  const sums = new Map<string | null, Amount>();
  for (const { kind, amount: one } of matters) {
    if (kind !== 'claim' || one === null) continue;
    const units = (sums.get(one.category)?.units ?? 0n) + one.units;
    sums.set(one.category, { ...one, units });
  }
  const sorted = [...sums.values()].sort((a, b) => (a.category ?? '').localeCompare(b.category ?? ''));
  return Promise.all(sorted.map((one) => showSum(one, context)));
};

type Steps = {
  readonly actions: () => Promise<readonly KnownAction[]>;
};

/** Whole steps that were signed and not confirmed. Only where there is one, all commands are loaded to name it. */
const unfinished = async (
  { store }: Pick<Context, 'store'>,
  { actions }: Steps,
): Promise<readonly Matter[]> => {
  const { items } = await store.find(pendingStepCollection);
  if (items.length === 0) return [];
  const [{ commandOf }, { shellWord }, known] = await Promise.all([
    import('./step-command.js'),
    import('./doctor/check.js'),
    actions(),
  ]);
  return items.map((step) => {
    const command = commandOf(step, known, shellWord);
    return {
      kind: 'failed',
      label: command,
      what: `is signed (${step.txid}) and not confirmed: the same command goes on with it`,
      amount: null,
      at: null,
      command,
      by: step.caller,
    };
  });
};

export const byUrgency = (a: Matter, b: Matter): number =>
  MATTER_KINDS.indexOf(a.kind) - MATTER_KINDS.indexOf(b.kind) || (a.at ?? 0) - (b.at ?? 0);

/** Headings by kind; more of a kind than {@link SHOWN} are counted. */
const HEADINGS: Readonly<Record<MatterKind, readonly [title: string, list: string]>> = {
  sign: ['Waits for your signature', 'vaults list'],
  claim: ['Can be claimed now', 'streams claimable'],
  due: ['Falls due within 30 days', 'overview --json'],
  ends: ['Ends within 30 days, or has ended', 'overview --json'],
  failed: ['Failed, or was left unfinished', 'doctor'],
  begin: ['Made, and not funded yet', 'overview --json'],
};

const SHOWN = 5;

const sumText = ({ amountOnChain, decimals, symbol }: z.output<typeof Sum>): string =>
  `${formatUnits(BigInt(amountOnChain), decimals)} ${symbol}`;

/** What a day of the past is called. */
const PAST: Partial<Record<MatterKind, string>> = { due: 'overdue since ', ends: 'ended ' };

/** When it is, or was. */
const whenText = ({ kind, at }: MatterShown, now: number): readonly string[] =>
  at === null ? [] : [`${at < now ? (PAST[kind] ?? '') : ''}${showDate(at)}`];

const taskOf = (matter: MatterShown, now: number) => {
  const { label, what, amount: sum, command } = matter;
  return {
    label,
    text: [...whenText(matter, now), ...(sum === null ? [] : [sumText(sum)]), what].join('  '),
    command,
  };
};

/** What is shown of a kind of matters. */
export const tasksOf = (
  kind: MatterKind,
  { matters, claimable, chainTime }: Pick<Overview, 'matters' | 'claimable' | 'chainTime'>,
): View => {
  const items = matters.filter((matter) => matter.kind === kind);
  if (items.length === 0) return [];
  const [title, list] = HEADINGS[kind];
  const sums = kind === 'claim' && claimable.length > 0 ? `: ${claimable.map(sumText).join(', ')}` : '';
  const left = items.length - SHOWN;
  return [
    {
      kind: 'tasks',
      title: `${title}${sums}`,
      items: items.slice(0, SHOWN).map((matter) => taskOf(matter, chainTime)),
      more: left > 0 ? `and ${left} more: treasury ${list}` : null,
    },
  ];
};

const walletTable = (wallets: Overview['wallets']): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Wallet'),
    column.amount('BCH', 0),
    column.text('Tokens'),
    column.text('Role', 2),
    column.text('Address', 2),
  ],
  rows: wallets.map(({ name, balanceOnChain, tokens, isDefault, isAuthority, address }) => [
    name,
    balanceOnChain === null ? 'not known' : formatUnits(BigInt(balanceOnChain), BCH_DECIMALS),
    tokens
      .map(({ amountOnChain, decimals, symbol, nfts }) =>
        [
          ...(amountOnChain === '0' ? [] : [`${formatUnits(BigInt(amountOnChain), decimals)} ${symbol}`]),
          ...(nfts === 0 ? [] : [`${nfts} NFT of ${symbol}`]),
        ].join(', '),
      )
      .join(', '),
    [...(isDefault ? ['default'] : []), ...(isAuthority ? ['authority'] : [])].join(', '),
    address,
  ]),
  empty: 'No wallets yet. `treasury wallet create main` makes one.',
});

/** The sum of the wallets, where the chain answers. */
const totalOf = ({ wallets }: Overview): View => {
  if (wallets.length === 0 || wallets.some(({ balanceOnChain }) => balanceOnChain === null)) return [];
  const total = wallets.reduce((sum, { balanceOnChain }) => sum + BigInt(balanceOnChain ?? '0'), 0n);
  return [{ kind: 'facts', rows: [['In all', `${formatUnits(total, BCH_DECIMALS)} BCH`]] }];
};

const viewOverview = (overview: Overview): View => [
  {
    kind: 'facts',
    rows: [
      ['Network', overview.network],
      ['Chain time', showDate(overview.chainTime)],
    ],
  },
  walletTable(overview.wallets),
  ...totalOf(overview),
  ...(overview.matters.length === 0
    ? [{ kind: 'text' as const, text: 'Nothing waits for you, falls due within 30 days, or has failed.' }]
    : MATTER_KINDS.flatMap((kind) => tasksOf(kind, overview))),
];

/** Declares the operation over what each product asks of whoever has the home. */
export const defineOverview = (readers: readonly MattersOf[], steps: Steps) =>
  defineOperation({
    id: 'overview',
    summary: 'Show how things stand: the same as `treasury` alone',
    description:
      'Balances by wallet, what waits for your signature, what you can claim, what falls due within 30 days, what ends, and what failed; each with the command that acts on it. It makes no home.',
    cli: { readsOnly: true, makesNoHome: true },
    auth: 'none',
    input: z.object({}),
    output,
    errors: KEYS_ERRORS,
    run: async (_, context) => {
      const { store, keys, network } = context;
      const infos = await keys.list();
      const mine = infos.map(({ address }) => address.text);
      const [{ now, stale }, ...shown] = await Promise.all([
        listNow(context),
        ...infos.map((info) => showWallet(info, context)),
      ]);
      const asked = { mine, now, until: now + MONTH };
      const told = await Promise.all([
        ...readers.map((matters) => matters(store, asked)),
        unfinished(context, steps),
      ]);
      const matters = told.flat().sort(byUrgency);
      const walletOf = (address: string) => infos.find((info) => info.address.text === address);
      return {
        network,
        chainTime: now,
        wallets: shown.map(({ wallet }) => wallet),
        claimable: await sumClaims(matters, context),
        matters: await Promise.all(
          matters.map(async ({ amount: units, command, by, ...matter }) => {
            const wallet = walletOf(by);
            const suffix = wallet === undefined || wallet.isDefault ? '' : ` --wallet ${wallet.name}`;
            return {
              ...matter,
              amount: units === null ? null : await showSum(units, context),
              by,
              wallet: wallet?.name ?? '',
              command: command === null ? null : `${command}${suffix}`,
            };
          }),
        ),
        ...[stale, ...shown.map((one) => one.stale)].find((one) => one.chain_stale === true),
      };
    },
    view: viewOverview,
  });
