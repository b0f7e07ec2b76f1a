/**
 * Recovering: taking what lies at a covenant's address unfollowed out of it, by whatever rule it allows.
 *
 * A stray thread is spent as the record's own would be: whoever may cancel takes it back, and the recipient takes what
 * has fallen due in it. The record is not touched.
 */
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import { formatUnits, showAmounts } from '../bch/amount.js';
import { TxHash, WalletTransactionField } from '../bch/fields.js';
import { decodeTransaction } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { notRecoverable, type StraySpend, type StrayTerms } from '../covenant/stray-terms.js';
import { isThread, type Stray, type StrayThread } from '../covenant/stray.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { freeCoins } from './funding-pins.js';
import { handOut } from './hand-out.js';
import { chainNow } from '../operation/chain-now.js';
import { findStrays, type StraySite } from './unexpected-funding.js';
import { offerWitnessed } from './witness/offer.js';

/** Which of several is meant. */
export const RecoverFields = {
  txid: TxHash.optional().describe('The transaction that made it; default the largest that can be recovered'),
  vout: z.int().min(0).optional().describe('Its output, where one transaction made several'),
};

/** By which rule a stray is taken out. */
const RULES = ['cancel', 'claim'] as const;

/** What every product's recover answers. */
export const RecoverReply = z.object({
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

export type StrayChoice = { readonly txid?: string | undefined; readonly vout?: number | undefined };

/**
 * The stray thread that a request means: the one that it names, or the largest.
 *
 * @throws nothing_to_recover, not_recoverable, chain_unavailable
 */
export const chooseStray = async <R>(
  site: StraySite<R> & { readonly label: string },
  { txid, vout }: StrayChoice,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<StrayThread> => {
  const { label } = site;
  const strays = (await findStrays({ ...site, txid }, context)).filter(
    ({ coin }) => vout === undefined || coin.vout === vout,
  );
  const largest = [...strays].sort((a, b) => (a.held === b.held ? 0 : a.held > b.held ? -1 : 1));
  const thread = largest.find(isThread);
  if (thread !== undefined) return thread;
  const [lost] = largest;
  if (lost === undefined) throw new TreasuryError('nothing_to_recover', { label, txid, vout });
  throw notRecoverable(label, lost, 'it carries no state of the contract, so no rule moves it: it is lost');
};

/** Who a record is between, as addresses. */
export type Between = { readonly sender: string; readonly recipient: string };

/**
 * {@link chooseStray} for somebody: who is no party of the record learns nothing of it, unless a stray thread names them
 * as its recipient, which {@link offerRecovery} looks at.
 *
 * @throws not_sender, nothing_to_recover, not_recoverable, chain_unavailable
 */
export const chooseStrayFor = async <R>(
  caller: Address,
  { sender, recipient }: Between,
  site: StraySite<R> & { readonly label: string },
  choice: StrayChoice,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<StrayThread> => {
  try {
    return await chooseStray(site, choice, context);
  } catch (error) {
    const isParty = caller.text === sender || caller.text === recipient;
    const isUnavailable = error instanceof TreasuryError && error.code === 'chain_unavailable';
    if (isParty || isUnavailable) throw error;
    throw new TreasuryError('not_sender', { sender, recipient, caller: caller.text });
  }
};

/** The stray, and the coins of who signs as they are now. @throws chain_unavailable */
export const straySpend = async (
  { coin, reserve }: Stray,
  payer: Address,
  context: Context,
): Promise<StraySpend> => ({
  coins: { thread: coin, reserve },
  payerCoins: await freeCoins(payer, context),
  locktime: await chainNow(context),
});

type Offered = {
  readonly rule: (typeof RULES)[number];
  readonly recipientAmount: bigint;
  readonly wcTransaction: WalletTransaction;
};

/** Who is asked for, and what the witness is drawn for. */
export type StrayRequest = {
  readonly entityType: string;
  readonly id: string;
  /** 33 bytes as hex. */
  readonly authorityPublicKey: string;
  readonly stray: StrayThread;
  readonly terms: StrayTerms;
};

/** Nobody pays a recipient out of their own pocket because somebody minted a thread that says so. */
const checkHolds = ({ stray, terms }: StrayRequest, owed: bigint): void => {
  if (owed <= stray.held) return;
  const [owedText, heldText] = [owed, stray.held].map((units) => formatUnits(units, terms.decimals));
  throw notRecoverable(
    terms.label,
    stray,
    `its state owes ${terms.recipient} ${owedText}, and it holds ${heldText}: whoever cancels would pay the difference`,
  );
};

const offerCancel = async (request: StrayRequest, caller: Address, context: Context): Promise<Offered> => {
  const { entityType, id, authorityPublicKey, stray, terms } = request;
  const { label } = terms;
  checkHolds(request, terms.owedAt(await chainNow(context)));
  const wcTransaction = await offerWitnessed(
    {
      subject: { entityType, id, label },
      thread: stray.thread,
      authorityPublicKey,
      move: 'cancel',
      signer: caller,
      userPrompt: `Recover what lies unexpected at ${label}`,
      build: async (witness) => {
        const spend = await straySpend(stray, caller, context);
        checkHolds(request, terms.owedAt(spend.locktime));
        return terms.buildCancel(spend, witness);
      },
    },
    context,
  );
  // The transaction may be the one that was handed out some minutes ago: its own time counts.
  const { locktime } = decodeTransaction(wcTransaction.transaction);
  return { rule: 'cancel', recipientAmount: terms.owedAt(locktime), wcTransaction };
};

const offerClaim = async (
  { stray, terms }: StrayRequest,
  caller: Address,
  context: Context,
): Promise<Offered> => {
  if (stray.coin.token?.nft?.capability !== 'mutable')
    throw notRecoverable(
      terms.label,
      stray,
      'its NFT is not mutable, so no claim goes on from it: only a cancellation takes it',
    );
  const { unsigned, amount } = terms.buildClaim(await straySpend(stray, caller, context));
  const prompt = `Claim what has fallen due unexpected at ${terms.label}`;
  return {
    rule: 'claim',
    recipientAmount: amount,
    wcTransaction: await handOut(unsigned, caller, prompt, context),
  };
};

/**
 * The way out of a stray thread that the caller has: the sender cancels, the recipient claims.
 *
 * @throws not_sender, not_recoverable, nothing_claimable, nothing_releasable, authority_unfunded, authority_locked,
 *   insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
export const offerRecovery = async (
  request: StrayRequest,
  caller: Address,
  context: Context,
): Promise<z.output<typeof RecoverReply>> => {
  const { stray, terms } = request;
  const { label, sender, recipient, isCancelable, decimals } = terms;
  const isSender = caller.text === sender;
  if (!isSender && caller.text !== recipient)
    throw new TreasuryError('not_sender', { sender, recipient, caller: caller.text });
  if (isSender && !isCancelable && caller.text !== recipient) {
    const reason = `it was made irrevocable, so ${recipient} takes it with the same command, as it falls due`;
    throw notRecoverable(label, stray, reason);
  }
  const offered = await (isSender && isCancelable
    ? offerCancel(request, caller, context)
    : offerClaim(request, caller, context));
  const { recipientAmount } = offered;
  return {
    label,
    txid: stray.coin.txid,
    vout: stray.coin.vout,
    rule: offered.rule,
    ...showAmounts({ amount: stray.held, recipientAmount }, decimals),
    wcTransaction: offered.wcTransaction,
  };
};
