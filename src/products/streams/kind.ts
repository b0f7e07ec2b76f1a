/** What differs between the two covenants that streams stand on. Everything else of the product is the same for both. */
import type { Address } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import type { ArtifactName } from '../../covenant/artifact.js';
import type { CovenantContract } from '../../covenant/covenant-contract.js';
import type { Observed } from '../../covenant/follow.js';
import type { Finding, GenesisMember } from '../../covenant/genesis.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import type { StrayThread } from '../../covenant/stray.js';
import type { Witness } from '../../covenant/ticket.js';
import type { StrayTerms } from '../../covenant/stray-terms.js';
import type { Figures } from './rules.js';
import type { StreamRecord } from './stream.js';
import type { ClaimOrder, StreamSpend } from './transactions.js';

export type StreamKind = {
  readonly contractType: string;
  readonly artifact: ArtifactName;
  readonly contract: (stream: StreamRecord, network: Network) => CovenantContract;
  /** The parameter check of covenants rule 16. */
  readonly checkTerms: (stream: StreamRecord) => readonly Finding[];
  readonly genesis: (stream: StreamRecord, network: Network) => GenesisMember;
  /** How far a stream with a live thread is at `now`. */
  readonly figures: (stream: StreamRecord, now: number) => Figures;
  /** The move seen in a transaction that spends the thread at input 0. */
  readonly observeMove: (
    stream: StreamRecord,
    chain: ChainTransaction,
    network: Network,
  ) => Observed<StreamRecord>;
  readonly buildClaim: (spend: StreamSpend, order: ClaimOrder) => UnsignedTransaction;
  readonly buildPause: (spend: StreamSpend, witness: Witness) => UnsignedTransaction;
  readonly buildResume: (spend: StreamSpend) => UnsignedTransaction;
  readonly buildCancel: (spend: StreamSpend, witness: Witness) => UnsignedTransaction;
  /** True for a commitment that the covenant reads as a state. */
  readonly isState: (commitment: string) => boolean;
  /** What a thread allows that the record does not follow. */
  readonly stray: (stream: StreamRecord, stray: StrayThread, network: Network) => StrayTerms;
  /** What a pause pays the recipient: it opens the reserve. */
  readonly pausePays: boolean;
  /** Null: this covenant knows no transfer. */
  readonly buildTransfer: ((spend: StreamSpend, newRecipient: Address) => UnsignedTransaction) | null;
  /** Null: this covenant knows no refill. Adds an amount in the smallest unit. */
  readonly buildRefill: ((spend: StreamSpend, amount: bigint) => UnsignedTransaction) | null;
};
