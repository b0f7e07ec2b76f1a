/** What the event log is told of a spend before it is on chain: proposed, signed, ready, cancelled. */
import { formatUnits } from '../../bch/amount.js';
import type { StoreWriter } from '../../operation/ports/store.js';
import { tellEvent } from '../../record/event-log.js';
import { findVault } from './records.js';
import type { SpendRecord } from './spend.js';
import { vaultTopic } from './vault.js';

/** Tells what somebody did with a spend, in the commit that does it. @throws vault_not_found */
export const tellSpend = async (
  writer: StoreWriter,
  { id, label, vault_id, status, payments, signatures, updated_at: time }: SpendRecord,
  { done, actor }: { readonly done: 'proposed' | 'signed' | 'ready' | 'cancelled'; readonly actor: string },
): Promise<void> => {
  const { subject, parties } = vaultTopic(await findVault(writer, vault_id));
  await tellEvent(writer, {
    type: `vault.spend.${done}`,
    time,
    subject,
    parties: [...parties],
    data: {
      spend: { id, label, status, signers: signatures.map(({ signer }) => signer) },
      actor,
      payments: payments.map(({ to, token_category, amount, decimals }) => ({
        to,
        amount: formatUnits(amount, decimals),
        amountOnChain: amount.toString(),
        asset: token_category ?? 'BCH',
        decimals,
      })),
    },
  });
};
