/** Handing a spend out to its signers, and taking their signatures in. */
import { encodeWalletTransaction, preflight, type WalletTransaction } from '../../bch/wallet-transaction.js';
import type { Context } from '../../operation/context.js';
import type { OpenedSpend } from './open-spend.js';
import { findSpend } from './records.js';
import { checkNotSigned, checkSpendStatus, statusBySignatures } from './rules.js';
import { completeSpend, readSignatures, requestFor, trialFor } from './signing.js';
import { spendCollection, type SpendRecord } from './spend.js';
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
  context: Pick<Context, 'chain'>,
): Promise<WalletTransaction> => {
  const { vault, spend } = opened;
  checkSpendStatus(spend, 'sign');
  checkNotSigned(spend, signer);
  const { medianTimePast } = await context.chain.tip();
  const trial = trialFor(opened, signer);
  preflight(trial.unsigned, trial.party, { medianTimePast });
  const { transaction, sourceOutputs } = requestFor(opened, signer);
  const memo = spend.memo === '' ? '' : `: ${spend.memo}`;
  return encodeWalletTransaction({
    transaction,
    sourceOutputs,
    broadcast: false,
    userPrompt: `Sign ${spend.label} of ${vault.name}${memo}`,
  });
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
  return context.store.transaction(async (writer) => {
    // Check: on the newest state, since the other signer may have been quicker.
    const spend = await findSpend(writer, opened.spend.id);
    checkSpendStatus(spend, 'sign');
    const isKnown = (signer: string) => spend.signatures.some((signature) => signature.signer === signer);
    const fresh = found.filter(({ signer }) => !isKnown(signer));
    if (fresh.length === 0) checkNotSigned(spend, found[0]?.signer ?? '');

    // Build: the whole transaction, once it is whole.
    const now = context.clock.now();
    const signatures = [
      ...spend.signatures,
      ...fresh.map(({ signer, publicKey: public_key, signature }) => ({
        signer,
        public_key,
        signature,
        signed_at: now,
      })),
    ].slice(0, SIGNATURES_NEEDED);
    const signed: SpendRecord = {
      ...spend,
      signatures,
      status: statusBySignatures({ signatures }),
      updated_at: now,
    };
    if (signed.status === 'READY') completeSpend({ ...opened, spend: signed });

    // Record: the signatures.
    writer.put(spendCollection, signed);
    return signed;
  });
};
