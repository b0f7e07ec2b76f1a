/** Handing a spend out to its signers, and taking their signatures in. */
import { transactionDigest } from '../../bch/digest.js';
import { encodeWalletTransaction, type WalletTransaction } from '../../bch/wallet-transaction.js';
import type { Context } from '../../operation/context.js';
import type { OpenedSpend } from './open-spend.js';
import { findSpend } from './records.js';
import { checkNotSigned, checkSpendStatus, statusBySignatures } from './rules.js';
import { completeSpend, readSignatures, requestFor, trySpend } from './signing.js';
import { spendCollection, type SpendRecord } from './spend.js';
import { tellSpend } from './tell-spend.js';
import { SIGNATURES_NEEDED } from './vault.js';

/**
 * The wcTransaction of a signer: with one placeholder, after the VM has run the spend with a stand-in for every
 * signature that is still to come. The wallet does not broadcast: one signature is not enough, and the last one comes
 * back here.
 *
 * @throws coins_gone, wrong_state, already_signed, and what the VM finds
 */
export const handOutSpend = async (
  opened: OpenedSpend,
  signer: string,
  context: Pick<Context, 'chain' | 'spending'>,
): Promise<WalletTransaction> => {
  const { vault, spend } = opened;
  checkSpendStatus(spend, 'sign');
  checkNotSigned(spend, signer);
  trySpend(opened, signer, await context.chain.tip());
  const { transaction, sourceOutputs } = requestFor(opened, signer);
  await context.spending?.take({ transaction, sourceOutputs });
  const memo = spend.memo === '' ? '' : `: ${spend.memo}`;
  const userPrompt = `Sign ${spend.label} of ${vault.name}${memo}`;
  const digest = transactionDigest({ transaction, sourceOutputs }, opened.network);
  return encodeWalletTransaction({ transaction, sourceOutputs, broadcast: false, userPrompt, digest });
};

/**
 * The spend with the signatures that a signed transaction brings; with both, the VM has run it for real.
 *
 * @throws coins_gone, wrong_state, already_signed (no new signature in it), tx_malformed, tx_mismatch, tx_script_failed
 */
export const takeSignatures = async (
  opened: OpenedSpend,
  signedTransaction: string,
  context: Pick<Context, 'store' | 'clock'>,
): Promise<SpendRecord> => {
  checkSpendStatus(opened.spend, 'sign');
  const found = readSignatures(opened, signedTransaction);
  const now = context.clock.now();
  return context.store.transaction(async (writer) => {
    // Check: on the newest state, since the other signer may have been quicker.
    const spend = await findSpend(writer, opened.spend.id);
    checkSpendStatus(spend, 'sign');
    const known = spend.signatures.map(({ signer }) => signer);
    const fresh = found.filter(({ signer }) => !known.includes(signer));
    if (fresh.length === 0) checkNotSigned(spend, found[0]?.signer ?? '');

    // Build: the whole transaction, once it is whole.
    const given = fresh.map((one) => ({ ...one, signed_at: now }));
    const signatures = [...spend.signatures, ...given].slice(0, SIGNATURES_NEEDED);
    const status = statusBySignatures({ signatures });
    const signed: SpendRecord = { ...spend, signatures, status, updated_at: now };
    if (status === 'READY') completeSpend({ ...opened, spend: signed });

    // Record: the signatures.
    writer.put(spendCollection, signed);
    for (const { signer: actor } of fresh) await tellSpend(writer, signed, { done: 'signed', actor });
    if (status === 'READY')
      await tellSpend(writer, signed, { done: 'ready', actor: fresh.at(-1)?.signer ?? '' });
    return signed;
  });
};
