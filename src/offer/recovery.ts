/**
 * Recovering: taking what lies at a covenant's address unfollowed out of it, by whatever rule it allows.
 *
 * A stray thread is spent as the record's own would be: whoever may cancel takes it back, and the recipient takes what
 * has fallen due in it. The record is not touched.
 */
import { z } from 'zod';
import { parseAddress } from '../bch/address.js';
import { formatUnits, showAmounts } from '../bch/amount.js';
import { TxHash, WalletTransactionField } from '../bch/fields.js';
import { decodeTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { spentOutputs } from '../covenant/follow.js';
import type { RecordSpend } from '../covenant/pool.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import type { StrayThread } from '../covenant/stray.js';
import { notRecoverable, type StraySpend, type StrayTerms } from '../covenant/stray-terms.js';
import { TreasuryError, type ErrorCode } from '../errors.js';
import { chainNow } from '../operation/chain-now.js';
import type { Caller } from '../operation/context.js';
import {
  defineAction,
  defineOperation,
  RECOVER_ERRORS,
  WITNESS_ERRORS,
  type Action,
  type AnyOperation,
  type RunContext,
} from '../operation/define.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import type { Role } from '../record/move-checks.js';
import { eventOfTransaction } from '../record/events.js';
import { confirmationsOf, confirmed, indexedTransaction, mismatch } from './confirm.js';
import { confirmOperation } from './confirm-move.js';
import { freeCoins } from './funding-pins.js';
import { handOut } from './hand-out.js';
import { chooseStray } from './unexpected-funding.js';
import { offerWitnessed } from './witness/offer.js';

/** Which of several is meant. */
const RecoverFields = {
  txid: TxHash.optional().describe('The transaction that made it; default the largest that can be recovered'),
  vout: z.int().min(0).optional().describe('Its output, where one transaction made several'),
};

/** By which rule a stray is taken out. */
const RULES = ['cancel', 'claim'] as const;

/** What every product's recover answers. */
const RecoverReply = z.object({
  label: z.string(),
  txid: z.string(),
  vout: z.number(),
  rule: z.enum(RULES).describe('cancel: what is not due goes back; claim: the recipient takes what is due'),
  amount: z.number().describe('What it holds, display units'),
  amountOnChain: z.string(),
  recipientAmount: z.number().describe('What the recipient gets of it, display units'),
  recipientAmountOnChain: z.string(),
  wcTransaction: WalletTransactionField,
});

type AnyProduct = PoolProduct;
type Asking = RunContext<'address'>;
/** The stray, and the coins of who signs as they are now. @throws chain_unavailable */
const straySpend = async ({ coin, reserve }: StrayThread, context: Asking): Promise<StraySpend> => ({
  coins: { thread: coin, reserve },
  payerCoins: await freeCoins(context.caller, context),
  locktime: await chainNow(context),
});

type Offered = {
  readonly rule: (typeof RULES)[number];
  /** Smallest unit. */
  readonly recipientAmount: bigint;
  readonly wcTransaction: WalletTransaction;
};

/** Nobody pays a recipient out of their own pocket because somebody minted a thread that says so. */
const checkHolds = (stray: StrayThread, terms: StrayTerms, owed: bigint): void => {
  if (owed <= stray.held) return;
  const [owedText, heldText] = [owed, stray.held].map((units) => formatUnits(units, terms.decimals));
  throw notRecoverable(
    terms.label,
    stray,
    `its state owes ${terms.recipient} ${owedText}, and it holds ${heldText}: whoever cancels would pay the difference`,
  );
};

const offerCancel = async (
  { entityType, id, authority_pubkey: authorityPublicKey = '' }: PoolRecord & { readonly entityType: string },
  stray: StrayThread,
  terms: StrayTerms,
  context: Asking,
): Promise<Offered> => {
  const { label } = terms;
  checkHolds(stray, terms, terms.owedAt(await chainNow(context)));
  const wcTransaction = await offerWitnessed(
    {
      subject: { entityType, id, label },
      thread: stray.thread,
      authorityPublicKey,
      move: 'cancel',
      signer: context.caller,
      userPrompt: `Recover what lies unexpected at ${label}`,
      build: async (witness) => {
        const spend = await straySpend(stray, context);
        checkHolds(stray, terms, terms.owedAt(spend.locktime));
        return terms.buildCancel(spend, witness);
      },
    },
    context,
  );
  // The transaction may be the one that was handed out some minutes ago: its own time counts.
  const { locktime } = decodeTransaction(wcTransaction.transaction);
  return { rule: 'cancel', recipientAmount: terms.owedAt(locktime), wcTransaction };
};

const offerClaim = async (stray: StrayThread, terms: StrayTerms, context: Asking): Promise<Offered> => {
  if (stray.coin.token?.nft?.capability !== 'mutable')
    throw notRecoverable(
      terms.label,
      stray,
      'its NFT is not mutable, so no claim goes on from it: only a cancellation takes it',
    );
  const { unsigned, amount } = terms.buildClaim(await straySpend(stray, context));
  const prompt = `Claim what has fallen due unexpected at ${terms.label}`;
  const wcTransaction = await handOut(unsigned, context.caller, prompt, context);
  return { rule: 'claim', recipientAmount: amount, wcTransaction };
};

/** True when the caller is to cancel, false when to claim. @throws not_sender, not_recoverable */
const mayCancel = (stray: StrayThread, terms: StrayTerms, { text: caller }: Caller): boolean => {
  const { label, sender, recipient, isCancelable } = terms;
  const isSender = caller === sender;
  if (!isSender && caller !== recipient) throw new TreasuryError('not_sender', { sender, recipient, caller });
  if (isSender && !isCancelable && caller !== recipient) {
    const reason = `it was made irrevocable, so ${recipient} takes it with the same command, as it falls due`;
    throw notRecoverable(label, stray, reason);
  }
  return isSender && isCancelable;
};

/**
 * The operation `<noun>.confirm-recover`: the chain is asked what a transaction took, and the record stays what it was.
 *
 * @param by who may ask, signed in; undefined: anybody, the chain is the evidence
 */
const confirmRecover = (product: AnyProduct, by: Role | undefined): AnyOperation => {
  const face = {
    summary: 'Confirm on chain that unexpected money was recovered',
    ...(by === undefined ? {} : { by, auth: 'bearer' as const }),
    fields: {
      recovered: z
        .array(z.object({ txid: z.string(), vout: z.number(), satoshis: z.string() }))
        .describe('The coins of the address that the transaction took'),
    },
  };
  return confirmOperation(product, 'recover', face, async ({ id: name, txHash }, context) => {
    const record = await product.follow(name, context);
    const label = product.label(record);
    const expected = `a recovery from ${label}`;
    const found = await indexedTransaction(txHash, context);
    // A move of its own is no recovery.
    if ((await eventOfTransaction(context.store, record.id, txHash)) !== null)
      throw mismatch(txHash, expected, `a move of ${label} itself`);
    const spent = await spentOutputs(found, context.chain);
    const { lockingBytecode } = parseAddress(record.contract_address);
    const taken = spent.flatMap((coin) => (coin?.lockingBytecode === lockingBytecode ? [coin] : []));
    if (taken.length === 0)
      throw mismatch(txHash, expected, 'a transaction that spends nothing of its address');
    const confirmations = await confirmationsOf(txHash, context);
    const message = `What lay unexpected at ${label} was recovered`;
    return {
      ...confirmed(message, txHash, record.status, confirmations),
      recovered: taken.map(({ txid, vout, satoshis }) => ({ txid, vout, satoshis: satoshis.toString() })),
    };
  });
};

/** What the operation that builds a recovery says of itself. */
type RecoverFace = {
  readonly description: string;
  readonly input?: z.ZodRawShape;
  readonly errors: readonly ErrorCode[];
  /** Who alone may ask, proven; left out where its parties may. */
  readonly by?: Role;
};

/** The operations `<noun>.recover` and `<noun>.confirm-recover`, and the whole step. */
const recoveryOf = (
  product: AnyProduct,
  { description, by, input, errors }: RecoverFace,
  offer: (
    record: PoolRecord,
    choose: () => Promise<StrayThread>,
    context: Asking,
    asked: Readonly<Record<string, unknown>>,
  ) => Promise<Offered & { readonly stray: StrayThread }>,
): Action => {
  const { noun, route, id, notFound, words, labelKind, label } = product;
  return defineAction({
    build: defineOperation({
      id: `${noun}.recover`,
      summary: `Build the transaction that takes unexpected money out of a ${words[1]}'s address`,
      description,
      http: { method: 'POST', path: `${route}/:id/recover` },
      cli: { example: `${noun} recover ${labelKind}-0001` },
      auth: by === undefined ? 'address' : 'bearer',
      input: z.object({ id, ...RecoverFields, ...input }),
      output: RecoverReply,
      errors: [notFound, ...errors, ...RECOVER_ERRORS],
      run: async (asked, context) => {
        // Check: who asks, and that something can be taken out.
        const record = await product.follow(asked.id, context);
        if (by !== undefined) product.checkRole(record, by, context.caller.text);
        const choose = () => chooseStray(product.deployable, record, asked, context);

        // Build: what its state allows the caller.
        const { stray, rule, recipientAmount, wcTransaction } = await offer(record, choose, context, asked);
        const { txid, vout } = stray.coin;
        const amounts = showAmounts({ amount: stray.held, recipientAmount }, record.decimals);
        return { label: label(record), txid, vout, rule, ...amounts, wcTransaction };
      },
    }),
    confirm: confirmRecover(product, by),
    record: product.find,
    verb: 'recover',
    summary: 'Take unexpected money out of the address',
  });
};

/**
 * Recovery of records between a sender, who cancels what lies there, and a recipient, who claims what is due.
 *
 * @param nothing the code for a recipient to whom nothing is due yet
 */
export const defineRecovery = <R extends PoolRecord>(
  product: PoolProduct<R>,
  nothing: Extract<ErrorCode, 'nothing_claimable' | 'nothing_releasable'>,
): Action => {
  const any = product as unknown as AnyProduct;
  const { noun, words, funder, strays, party, entityType } = any;
  const { terms: termsOf, due } = strays;
  if (termsOf === undefined || due === undefined)
    throw new Error(`${noun} says nothing of its strays' terms`);
  const description = `A second funding, one with a wrong sum, or one by somebody else. For the ${funder} it is cancelled, co-signed by the authority and good for ten minutes; for its recipient it pays ${due}. The ${words[1]} itself stays as it is.`;
  const errors = ['not_sender', 'wrong_state', nothing, ...WITNESS_ERRORS] as const;
  return recoveryOf(any, { description, errors }, async (record, choose, context) => {
    const caller = context.caller.text;
    const [sender, recipient] = [party(record, funder).text, party(record, 'recipient').text];
    const stray = await choose().catch((error: unknown) => {
      // Who is no party of the record learns nothing of it, unless a stray thread names them as its recipient.
      const isUnavailable = error instanceof TreasuryError && error.code === 'chain_unavailable';
      if (caller === sender || caller === recipient || isUnavailable) throw error;
      throw new TreasuryError('not_sender', { sender, recipient, caller });
    });
    const terms = termsOf(record, stray, context.network);
    const offered = mayCancel(stray, terms, context.caller)
      ? await offerCancel({ ...record, entityType }, stray, terms, context)
      : await offerClaim(stray, terms, context);
    return { ...offered, stray };
  });
};

/** Recovery of records whose funder alone takes out what lies there, without the authority, as a product builds it. */
export const defineRefund = <R extends PoolRecord, Asked extends z.ZodRawShape>(
  product: PoolProduct<R>,
  refund: {
    readonly description: string;
    readonly input: Asked;
    /** Who gets it, in the words of the prompt. */
    readonly to: (record: R) => string;
    /** As if the record stood on the stray thread. */
    readonly build: (
      spend: RecordSpend<R>,
      stray: StrayThread,
      asked: z.output<z.ZodObject<Asked>>,
    ) => UnsignedTransaction;
  },
): Action => {
  const { funder: by } = product;
  const { description, input, to, build } = refund;
  const face = { description, input, errors: [`not_${by}` as const], by };
  return recoveryOf(product as unknown as AnyProduct, face, async (found, choose, context, asked) => {
    const stray = await choose();
    const record = { ...(found as R), thread: stray.thread };
    const spend = { record, network: context.network, ...(await straySpend(stray, context)) };
    const unsigned = build(spend, stray, asked as z.output<z.ZodObject<Asked>>);
    const prompt = `Recover what lies unexpected at ${product.label(record)}, to ${to(record)}`;
    const wcTransaction = await handOut(unsigned, context.caller, prompt, context);
    return { rule: 'cancel', recipientAmount: 0n, wcTransaction, stray };
  });
};
