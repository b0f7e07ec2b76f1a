/** The commitment of a ballot. Source: contracts/governance/vote-lock.cash. */
import { binToHex, hash160, utf8ToBin } from '@bitauth/libauth';
import { bytes, commitment } from '../../bch/commitment.js';
import { CHOICES, type Choice } from './proposal.js';

/** `version u8 | choice u8 | stake u64 | proposal 20`, 30 bytes. */
export const ballotState = commitment({ version: 'u8', choice: 'u8', stake: 'u64', proposal: bytes(20) });

const VERSION = 1;

/** What a ballot says. */
export type Ballot = {
  readonly choice: Choice;
  /** Smallest unit. */
  readonly stake: bigint;
  /** {@link proposalHash} of the proposal, hex. */
  readonly proposal: string;
};

/** hash160 of a proposal's UTF-8 id, hex. */
export const proposalHash = (proposalId: string): string => binToHex(hash160(utf8ToBin(proposalId)));

/** A ballot as its commitment, hex. For the reverse, see {@link decodeBallot}. */
export const encodeBallot = ({ choice, stake, proposal }: Ballot): string =>
  ballotState.encode({ version: VERSION, choice: CHOICES.indexOf(choice), stake, proposal });

/** The ballot that a commitment carries, or null when it carries none. */
export const decodeBallot = (hex: string): Ballot | null => {
  const state = ballotState.decode(hex);
  const choice = state === null ? undefined : CHOICES[state.choice];
  if (state === null || state.version !== VERSION || choice === undefined) return null;
  return { choice, stake: state.stake, proposal: state.proposal };
};
