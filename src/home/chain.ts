/** The embedded chain: faucet, mining, time, reorganisations. */
import { showDate } from '../bch/show-date.js';
import { z } from 'zod';
import { parseAddress, type Address } from '../bch/address.js';
import { BCH_DECIMALS, formatUnits, MAXIMUM_SATOSHIS, showAmounts, toPositiveUnits } from '../bch/amount.js';
import { parseSeconds } from '../bch/duration.js';
import { ADDRESS_FORMAT, BchField } from '../bch/fields.js';
import { dustOf } from '../bch/transaction.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { defineOperation, KEYS_ERRORS, type Offer, type ViewBlock } from '../operation/define.js';
import type { LocalChainPort, Tip } from '../operation/ports/chain.js';
import { forgetChain, keepChain } from '../record/own-chain.js';

/** The embedded chain. @throws local_only */
const embeddedChain = (
  { localChain, network }: Pick<Context, 'localChain' | 'network'>,
  verb: string,
): LocalChainPort => {
  if (localChain !== null) return localChain;
  throw new TreasuryError('local_only', { command: `treasury chain ${verb}`, network });
};

const TipReply = z.object({
  height: z.number(),
  hash: z.string(),
  time: z.number().describe('Of the tip, unix seconds'),
  medianTimePast: z.number().describe('Median of the last 11 block times, unix seconds'),
});

/** A tip for people. */
const tipFacts = ({ height, hash, time, medianTimePast }: Tip): ViewBlock => ({
  kind: 'facts',
  rows: [
    ['Height', String(height)],
    ['Block', hash],
    ['Time', showDate(time)],
    ['Median time past', showDate(medianTimePast)],
  ],
});

/** What moves the chain answers with its tip. */
const ANSWERS_TIP = {
  auth: 'none',
  output: TipReply,
  errors: ['local_only'],
  view: (tip: Tip) => [tipFacts(tip)],
} as const;

/** The address that a text spells, or that of the wallet it names. @throws invalid_address */
const payeeOf = async (
  text: string,
  { keys, network }: Pick<Context, 'keys' | 'network'>,
): Promise<Address> => {
  const wallet = (await keys.list()).find(({ name }) => name === text);
  return wallet?.address ?? parseAddress(text, network);
};

export const faucet = defineOperation({
  id: 'chain.faucet',
  summary: 'Pay new coins to an address or a wallet (embedded chain only)',
  cli: { positional: ['address', 'amount'], example: 'chain faucet main 5' },
  auth: 'none',
  input: z.object({
    address: z
      .string()
      .trim()
      .min(1)
      .meta({ format: ADDRESS_FORMAT, description: 'Cash address, or the name of a wallet' }),
    amount: BchField.describe('BCH'),
  }),
  output: z.object({
    txHash: z.string(),
    address: z.string(),
    amount: z.number().describe('BCH'),
    amountOnChain: z.string().describe('Satoshis'),
  }),
  errors: [
    'local_only',
    'invalid_address',
    'invalid_amount',
    'amount_below_dust',
    'insufficient_funds',
    ...KEYS_ERRORS,
  ],
  run: async ({ address: text, amount }, context) => {
    // Check:
    const chain = embeddedChain(context, 'faucet');
    const address = await payeeOf(text, context);
    const satoshis = toPositiveUnits(amount, BCH_DECIMALS, 'amount', MAXIMUM_SATOSHIS);
    const minimum = dustOf({ lockingBytecode: address.lockingBytecode, satoshis });
    if (satoshis < minimum) {
      throw new TreasuryError('amount_below_dust', {
        field: 'amount',
        amount: amount.decimal,
        minimum: formatUnits(minimum, BCH_DECIMALS),
      });
    }

    const txHash = await chain.faucet(address.lockingBytecode, satoshis);
    return {
      txHash,
      address: address.text,
      ...showAmounts({ amount: satoshis }, BCH_DECIMALS),
    };
  },
});

export const mine = defineOperation({
  ...ANSWERS_TIP,
  id: 'chain.mine',
  summary: 'Mine blocks (embedded chain only)',
  cli: { positional: ['blocks'] },
  input: z.object({ blocks: z.int().min(1).max(1_000).default(1).describe('How many') }),
  run: async ({ blocks }, context) => embeddedChain(context, 'mine').mine(blocks),
});

export const advance = defineOperation({
  ...ANSWERS_TIP,
  id: 'chain.advance',
  summary: 'Move the clock on and mine 11 blocks, so that median time past moves too (embedded chain only)',
  cli: { positional: ['duration'], example: 'chain advance 30d' },
  input: z.object({ duration: z.string().describe('Such as 30d, 12h, 1h30m or 3600s') }),
  run: async ({ duration }, context) => embeddedChain(context, 'advance').advance(parseSeconds(duration)),
});

export const reorg = defineOperation({
  ...ANSWERS_TIP,
  id: 'chain.reorg',
  summary:
    'Replace the last blocks by empty ones; their transactions go back to the mempool (embedded chain only)',
  cli: { positional: ['depth'], example: 'chain reorg 2' },
  input: z.object({ depth: z.int().min(1).describe('How many blocks are taken off') }),
  run: async ({ depth }, context) => embeddedChain(context, 'reorg').reorg(depth),
});

export const reset = defineOperation({
  ...ANSWERS_TIP,
  id: 'chain.reset',
  summary: 'Forget all blocks and coins and start at the genesis block (embedded chain only)',
  description: 'Wallets and records stay; what the records say is funded is then on no chain.',
  cli: { ending: true },
  input: z.object({}),
  run: async (_, context) => {
    const chain = embeddedChain(context, 'reset');
    const { store, network } = context;
    // Before: ended between the two, the next that opens the home keeps which chain it is.
    await forgetChain(store);
    const tip = await chain.reset();
    await keepChain(store, chain, network);
    return tip;
  },
  view: (tip) => [
    tipFacts(tip),
    { kind: 'next', command: 'init', why: 'to get coins for the wallets again' },
  ],
});

export const status = defineOperation({
  id: 'chain.status',
  summary: 'Show the tip, the clock and the mempool (embedded chain only)',
  auth: 'none',
  input: z.object({}),
  output: z.object({
    ...TipReply.shape,
    now: z.number().describe("The chain's clock, unix seconds"),
    coins: z.number().describe('Unspent outputs, mempool included'),
    mempool: z.number().describe('Transactions that wait for a block'),
    automine: z.boolean().describe('True when every broadcast mines a block'),
  }),
  errors: ['local_only'],
  run: async (_, context) => embeddedChain(context, 'status').status(),
  view: (reply) => [
    tipFacts(reply),
    {
      kind: 'facts',
      rows: [
        ['Clock', showDate(reply.now)],
        ['Coins', String(reply.coins)],
        ['Mempool', String(reply.mempool)],
        ['Automine', reply.automine ? 'yes' : 'no'],
      ],
    },
  ],
});

export const operations: readonly Offer[] = [faucet, mine, advance, reorg, status, reset];
