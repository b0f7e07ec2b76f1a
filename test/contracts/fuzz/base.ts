/** What is mutated: a spend, most often a valid one, what an attacker has at hand beside it, and who judges what comes out. */
import type { Input, Output, Spend } from '../harness/spend.js';
import type { Party } from '../harness/parties.js';
import type { Judged, Violation } from '../invariants/oracle.js';

/** How a function of the contract under attack is called: its signers, and other arguments that could be right. */
export type CallShape = {
  readonly call: string;
  /** By the abi: `recipientKey`, `recipientSig`, `amount`. */
  readonly inputs: readonly string[];
};

export type Base = {
  readonly contract: string;
  readonly call: string;
  readonly asset: string;
  readonly spend: Spend;
  /** False: it breaks a rule, and all of it is made to fit: a claim of too much, a time to come. */
  readonly isValid: boolean;
  /** Unix seconds. */
  readonly medianTime: number;
  /** Who wants what is not theirs, and is no party. Has every coin and key of an ordinary person. */
  readonly attacker: Party;
  /** Parties by the name under which the contract speaks of them: `recipient`. */
  readonly roles: Readonly<Record<string, Party>>;
  readonly calls: readonly CallShape[];
  /** Locks to send to. */
  readonly locks: readonly Uint8Array[];
  /** Categories, as transaction ids are shown. */
  readonly categories: readonly string[];
  /** Commitments to carry. */
  readonly commitments: readonly Uint8Array[];
  /** Lengths of the fields of a commitment; empty where there is none. */
  readonly fields: readonly number[];
  /** Amounts worth trying: the pool, a payout, a boundary. */
  readonly amounts: readonly bigint[];
  /** Times worth trying, unix seconds. */
  readonly times: readonly number[];
  /** Coins that anyone can have or make, and coins of the covenant's siblings, ready to be spent. */
  readonly inputs: readonly Input[];
  /** Outputs worth adding. */
  readonly outputs: readonly Output[];
  /** Whether a victim may have signed with a careless hash type. */
  readonly isCareless: boolean;
  /** How many parties are hostile at once, at the most. */
  readonly mostHostile: number;
  readonly judge: (judged: Judged) => readonly Violation[];
};
