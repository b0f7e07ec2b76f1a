/** Agreeing to a step where no person does: what looks at its transaction, and what is stored together with it. */
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import type { StoreWriter } from '../operation/ports/store.js';
import type { PendingStep } from '../record/pending-steps.js';

/** Who agrees in the place of a person: a rule, held against the transaction itself. */
export type Deputy = {
  /** Before it is signed. @throws why it is not agreed to */
  readonly look: (transaction: WalletTransaction) => Promise<void>;
  /** In the commit that writes the signed step down, before it is broadcast. @throws why it must not be */
  readonly book: (writer: StoreWriter, step: PendingStep) => Promise<void>;
  /** In the commit that forgets a step which will never be mined. */
  readonly strike: (writer: StoreWriter, txid: string) => void;
};
