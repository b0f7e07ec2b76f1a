/** Minting a fungible CashToken: all of its supply at once, to the wallet that pays. */
import { z } from 'zod';
import type { Address } from '../../bch/address.js';
import { formatUnits, MAXIMUM_TOKEN_AMOUNT, toPositiveUnits, showAmounts } from '../../bch/amount.js';
import { insufficientSatoshis, plainCoins, sumSatoshis, sumTokens, type Coin } from '../../bch/coins.js';
import { AmountField, TxHash, WalletTransactionField } from '../../bch/fields.js';
import { buildPayment, TOKEN_CHANGE_SATOSHIS, type Payment } from '../../bch/payment.js';
import type { Transaction } from '../../bch/transaction.js';
import { tokenCollection, type TokenRecord } from '../../record/assets.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
} from '../../offer/confirm.js';
import { defineAction, defineOperation, HAND_OUT_ERRORS, INDEXED_ERRORS } from '../../operation/define.js';
import { freeCoins } from '../../offer/funding-pins.js';
import { handOut } from '../../offer/hand-out.js';
import { PreparationReply } from '../../offer/funding-reply.js';
import { Decimals, showToken, TokenSymbol, TokenName, TokenReply, tokenTable } from './token.js';

const TermFields = { symbol: TokenSymbol, decimals: Decimals.default(0), name: TokenName.optional() };

/** Covers the fees of a preparation and of the mint after it, in satoshis. */
const FEE_ROOM = 1_000n;

type Mint =
  | { readonly kind: 'ready'; readonly category: string; readonly payment: Payment }
  | { readonly kind: 'preparation'; readonly payment: Payment };

/**
 * The mint, or the self-send that makes a coin of index 0 first: a category is the transaction id of such a coin.
 *
 * @throws insufficient_funds
 */
const buildMint = (payer: Address, coins: readonly Coin[], supply: bigint): Mint => {
  const { lockingBytecode } = payer;
  const genesisCoin = plainCoins(coins).find(({ vout }) => vout === 0);
  if (genesisCoin !== undefined) {
    const category = genesisCoin.txid;
    const minted = { lockingBytecode, satoshis: TOKEN_CHANGE_SATOSHIS, token: { category, amount: supply } };
    const payment = buildPayment({ payer, coins, outputs: [minted], requiredCoins: [genesisCoin] });
    return { kind: 'ready', category, payment };
  }
  // Check: what the mint will need is there, before a preparation is asked of the wallet.
  const available = sumSatoshis(plainCoins(coins));
  const needed = TOKEN_CHANGE_SATOSHIS + FEE_ROOM;
  if (available < needed) throw insufficientSatoshis(payer.text, available, needed);
  return {
    kind: 'preparation',
    payment: buildPayment({ payer, coins, outputs: [], changePosition: 'first' }),
  };
};

const ReadyReply = z.object({
  success: z.literal(true),
  category: z.string().describe('Id of the new token'),
  symbol: z.string(),
  name: z.string(),
  decimals: z.number(),
  supply: z.number().describe('Display units'),
  supplyOnChain: z.string().describe('Smallest unit'),
  fee: z.number().describe('Satoshis'),
  wcTransaction: WalletTransactionField,
});

const build = defineOperation({
  id: 'tokens.create',
  summary: 'Build the transaction that mints a fungible CashToken',
  description:
    'When the wallet has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  cli: { example: 'tokens create --supply 1000000 --decimals 2 --symbol TEAM' },
  auth: 'address',
  input: z.object({
    supply: AmountField.meta({ unit: 'own' }).describe('How many there will ever be, in display units'),
    ...TermFields,
  }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: ['invalid_amount', ...HAND_OUT_ERRORS],
  run: async ({ supply: written, symbol, decimals, name = symbol }, context) => {
    const { caller } = context;
    const supply = toPositiveUnits(written, decimals, 'supply', MAXIMUM_TOKEN_AMOUNT);
    const mint = buildMint(caller, await freeCoins(caller, context), supply);
    if (mint.kind === 'preparation') {
      return {
        success: false as const,
        code: 'preparation_required' as const,
        requiresPreparation: true as const,
        preparationTransaction: await handOut(
          mint.payment,
          caller,
          `Prepare a coin to mint ${symbol}`,
          context,
        ),
        message: `${caller.text} has no coin at output index 0 that can start a token: sign and broadcast the preparation transaction, then ask again`,
      };
    }
    const prompt = `Mint ${formatUnits(supply, decimals)} ${symbol}`;
    return {
      success: true as const,
      category: mint.category,
      symbol,
      name,
      decimals,
      ...showAmounts({ supply }, decimals),
      fee: Number(mint.payment.fee),
      wcTransaction: await handOut(mint.payment, caller, prompt, context),
    };
  },
});

/** What a transaction mints: a category whose genesis coin it spends, with a fungible amount. @throws tx_mismatch */
const readMint = (transaction: Transaction): { readonly category: string; readonly supply: bigint } => {
  const origins = transaction.inputs.filter(({ vout }) => vout === 0).map(({ txid }) => txid);
  const category = origins.find((origin) => sumTokens(transaction.outputs, origin) > 0n);
  if (category === undefined) {
    throw mismatch(transaction.txid, 'the mint of a fungible token', 'a transaction that mints none');
  }
  return { category, supply: sumTokens(transaction.outputs, category) };
};

const confirm = defineOperation({
  id: 'tokens.confirm-create',
  summary: 'Confirm that a token was minted, and add it to the registry',
  cli: { positional: ['txHash'] },
  auth: 'none',
  input: z.object({ txHash: TxHash, ...TermFields }),
  output: z.object({
    ...ConfirmReply.shape,
    token: TokenReply,
    supply: z.number().describe('Display units'),
    supplyOnChain: z.string().describe('Smallest unit'),
  }),
  errors: ['tx_mismatch', ...INDEXED_ERRORS],
  run: async ({ txHash, symbol, decimals, name = symbol }, context) => {
    // Check: the chain says what was minted.
    const { transaction } = await indexedTransaction(txHash, context);
    const { category, supply } = readMint(transaction);

    // Record: once; a repeated confirmation changes nothing.
    const record = await context.store.transaction(async (writer): Promise<TokenRecord> => {
      const known = await writer.get(tokenCollection, category);
      if (known !== null) return known;
      const created_at = context.clock.now();
      const token: TokenRecord = { id: category, symbol, name, decimals, source: 'created', created_at };
      writer.put(tokenCollection, token);
      return token;
    });
    const confirmations = await confirmationsOf(txHash, context);
    return {
      ...confirmed(`${record.symbol} is minted`, txHash, 'CREATED', confirmations),
      token: showToken(record),
      ...showAmounts({ supply }, record.decimals),
    };
  },
  view: ({ token, supplyOnChain, message }) => [
    {
      kind: 'text',
      text: `${message}: ${formatUnits(BigInt(supplyOnChain), token.decimals)} ${token.symbol}`,
    },
    tokenTable([token]),
  ],
});

export const create = defineAction({ build, confirm, verb: 'create', summary: 'Mint a fungible CashToken' });
