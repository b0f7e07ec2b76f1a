/** What an address holds: sums, and coin by coin. */
import { z } from 'zod';
import { BCH_DECIMALS, formatUnits, showAmounts } from '../../bch/amount.js';
import { holdingsOf, plainCoins, sumSatoshis } from '../../bch/coins.js';
import { AddressField } from '../../bch/fields.js';
import { FundingInputs, showInputs } from '../../offer/funding-reply.js';
import { column } from '../../operation/columns.js';
import { CHAIN_ERRORS, defineOperation, WALLET_ERRORS } from '../../operation/define.js';
import { HoldingReply, showHoldings } from '../../record/assets.js';
import { meantWallet } from './wallet.js';

const AnyAddress = z.object({
  address: AddressField.optional().describe('Any address of the network, instead of the wallet’s own'),
});

const HeldToken = HoldingReply.extend({
  decimals: HoldingReply.shape.decimals.describe('Of the registry; 0 when the token is not in it'),
  nfts: HoldingReply.shape.nfts.describe('How many NFTs of the category'),
});

export const balance = defineOperation({
  id: 'wallet.balance',
  summary: 'Show what a wallet holds, or any address',
  cli: { readsOnly: true },
  auth: 'optional',
  input: AnyAddress,
  output: z.object({
    address: z.string(),
    balance: z.number().describe('BCH'),
    balanceOnChain: z.string().describe('Satoshis'),
    satoshis: z.number(),
    spendable: z.number().describe('BCH in coins without tokens: those that payments and fees are made of'),
    spendableOnChain: z.string().describe('Satoshis'),
    tokens: z.array(HeldToken),
  }),
  errors: [...WALLET_ERRORS, ...CHAIN_ERRORS],
  run: async ({ address: given }, context) => {
    const address = given ?? (await meantWallet(undefined, context)).address;
    const coins = await context.chain.coins(address.lockingBytecode);
    const total = sumSatoshis(coins);
    const spendable = sumSatoshis(plainCoins(coins));
    return {
      address: address.text,
      ...showAmounts({ balance: total }, BCH_DECIMALS),
      satoshis: Number(total),
      ...showAmounts({ spendable }, BCH_DECIMALS),
      tokens: await showHoldings(holdingsOf(coins), context.store),
    };
  },
  view: ({ address, balanceOnChain, spendableOnChain, tokens }) => [
    {
      kind: 'facts',
      rows: [
        ['Address', address],
        ['Balance', `${formatUnits(BigInt(balanceOnChain), BCH_DECIMALS)} BCH`],
        ['Spendable', `${formatUnits(BigInt(spendableOnChain), BCH_DECIMALS)} BCH`],
      ],
    },
    {
      kind: 'table',
      head: [
        column.key('Token'),
        column.amount('Amount'),
        column.amount('NFTs', 2),
        column.text('Category', 3),
      ],
      rows: tokens.map(({ symbol, decimals, amountOnChain, nfts, category }) => [
        symbol,
        `${formatUnits(BigInt(amountOnChain), decimals)} ${symbol}`,
        String(nfts),
        category,
      ]),
      empty: '',
    },
  ],
});

export const coins = defineOperation({
  id: 'wallet.coins',
  summary: 'List the coins of a wallet, or of any address',
  cli: { readsOnly: true },
  auth: 'optional',
  input: AnyAddress,
  output: z.object({ coins: FundingInputs }),
  errors: [...WALLET_ERRORS, ...CHAIN_ERRORS],
  run: async ({ address }, context) => {
    const { lockingBytecode } = address ?? (await meantWallet(undefined, context)).address;
    return { coins: showInputs(await context.chain.coins(lockingBytecode)) };
  },
  view: (reply) => [
    {
      kind: 'table',
      head: [column.key('Coin'), column.amount('Amount'), column.text('Tokens'), column.text('NFT', 2)],
      rows: reply.coins.map(({ txid, vout, satoshis, token }) => [
        `${txid}:${vout}`,
        `${formatUnits(BigInt(satoshis), BCH_DECIMALS)} BCH`,
        token === undefined || token.amount === '0' ? '' : `${token.amount} units of ${token.category}`,
        token?.nft === undefined
          ? ''
          : `${token.nft.capability} ${token.nft.commitment} of ${token.category.slice(0, 8)}...`,
      ]),
      empty: 'No coins.',
    },
  ],
});
