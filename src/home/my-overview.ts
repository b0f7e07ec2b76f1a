/** How things stand for whoever asks over HTTP: what there is, what waits for them, what falls due, and what runs dry. */
import { z } from 'zod';
import { BCH_DECIMALS, formatUnits, showAmounts } from '../bch/amount.js';
import { holdingsOf, sumSatoshis } from '../bch/coins.js';
import { showDate } from '../bch/show-date.js';
import { defineOperation, type View } from '../operation/define.js';
import { listNow, orStale, StaleReply } from '../operation/stale.js';
import { HoldingReply, showHoldings } from '../record/assets.js';
import { MATTER_KINDS, type MattersOf } from '../record/matter.js';
import type { RunwaysOf } from '../record/runway.js';
import { byUrgency, MatterShown, MONTH, showSum, Sum, sumClaims, tasksOf } from './overview.js';

const RunwayShown = z.object({
  label: z.string(),
  to: z.string(),
  toName: z.string().nullable(),
  held: Sum,
  endsAt: z
    .number()
    .nullable()
    .describe('When the last that it holds falls due, unix seconds; null: it holds nothing'),
});

const output = z.object({
  network: z.string(),
  address: z.string(),
  chainTime: z.number().describe('Unix seconds'),
  balance: z.number().nullable().describe('BCH; null while no chain server answers'),
  balanceOnChain: z.string().nullable().describe('Satoshis'),
  tokens: z.array(HoldingReply),
  claimable: z.array(Sum).describe('What can be claimed now, by asset'),
  matters: z
    .array(MatterShown.omit({ wallet: true }))
    .describe('What concerns the caller, in the order of urgency'),
  runways: z.array(RunwayShown).describe('What the caller has to refill, the soonest first'),
  ...StaleReply,
});
type Reply = z.output<typeof output>;

const viewMine = (reply: Reply): View => [
  {
    kind: 'facts',
    rows: [
      [
        'Balance',
        reply.balanceOnChain === null
          ? 'not known'
          : `${formatUnits(BigInt(reply.balanceOnChain), BCH_DECIMALS)} BCH`,
      ],
      ...reply.tokens.map(
        ({ amountOnChain, decimals, symbol }) =>
          [symbol, `${formatUnits(BigInt(amountOnChain), decimals)} ${symbol}`] as const,
      ),
      ['Chain time', showDate(reply.chainTime)],
    ],
  },
  ...MATTER_KINDS.flatMap((kind) =>
    tasksOf(kind, { ...reply, matters: reply.matters.map((matter) => ({ ...matter, wallet: '' })) }),
  ),
];

type Readers = { readonly matters: readonly MattersOf[]; readonly runways: readonly RunwaysOf[] };

/** Declares the operation over what each product says of one address. */
export const defineMyOverview = (readers: Readers) =>
  defineOperation({
    id: 'overview.mine',
    summary: 'Show how things stand for the caller',
    description:
      "Balances of the caller's address, what waits for their signature, what they can claim, what falls due within 30 days, what ends, and when what they have to refill runs dry. Nobody else is told of it.",
    http: { method: 'GET', path: '/api/overview' },
    cli: false,
    auth: 'address',
    input: z.object({}),
    output,
    errors: [],
    run: async (_, context) => {
      const { store, chain, network, caller } = context;
      const [{ now, stale }, coins] = await Promise.all([
        listNow(context),
        orStale(
          () => chain.coins(caller.lockingBytecode),
          () => null,
        ),
      ]);
      const asked = { mine: [caller.text], now, until: now + MONTH };
      const [matters, runways] = await Promise.all([
        Promise.all(readers.matters.map((read) => read(store, asked))),
        Promise.all(readers.runways.map((read) => read(store, caller.text))),
      ]);
      const told = matters.flat().sort(byUrgency);
      const sorted = runways.flat().sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
      const { found } = coins;
      return {
        network,
        address: caller.text,
        chainTime: now,
        ...(found === null
          ? { balance: null, balanceOnChain: null, tokens: [] }
          : {
              ...showAmounts({ balance: sumSatoshis(found) }, BCH_DECIMALS),
              tokens: await showHoldings(holdingsOf(found), store),
            }),
        claimable: await sumClaims(told, context),
        matters: await Promise.all(
          told.map(async ({ amount, ...matter }) => ({
            ...matter,
            amount: amount === null ? null : await showSum(amount, context),
          })),
        ),
        runways: await Promise.all(
          sorted.map(async ({ at: endsAt, held, ...runway }) => ({
            ...runway,
            held: await showSum(held, context),
            endsAt,
          })),
        ),
        ...[stale, coins.stale].find((one) => one.chain_stale === true),
      };
    },
    view: viewMine,
  });
