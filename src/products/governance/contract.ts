/** A voter's terms as constructor parameters, and the address they give. */
import { binToHex, flattenBinArray, hexToBin, sha256, utf8ToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import { commitment } from '../../bch/commitment.js';
import type { Network } from '../../bch/network.js';
import { checkDate, checkOneKey } from '../../covenant/checks.js';
import { bindContract, type CovenantContract } from '../../covenant/covenant-contract.js';
import type { Finding } from '../../covenant/genesis.js';
import type { VoteLockRecord } from './proposal.js';

/** The terms that the vote id binds. */
export type VoteTerms = Pick<VoteLockRecord, 'proposal_id' | 'voter' | 'unlock_time'>;

/** The terms that the address binds. */
export type VoteLockTerms = VoteTerms & Pick<VoteLockRecord, 'artifact_fingerprint'>;

/** The end as it stands in the vote id: 5 bytes, little-endian. */
const end = commitment({ seconds: 'u40' });

/** `sha256(proposal id | voterHash | end u40)` as hex: address, voter, proposal and end are one value. */
export const voteIdOf = ({ proposal_id, voter, unlock_time }: VoteTerms): string =>
  binToHex(
    sha256.hash(
      flattenBinArray([
        utf8ToBin(proposal_id),
        hexToBin(parseAddress(voter).hash),
        hexToBin(end.encode({ seconds: unlock_time })),
      ]),
    ),
  );

/** The contract of a vote. Constructor: voteId, voterHash, unlockTime. */
export const voteLockContract = (terms: VoteLockTerms, network: Network): CovenantContract =>
  bindContract(
    { name: 'vote-lock', pinned: terms.artifact_fingerprint },
    [hexToBin(voteIdOf(terms)), hexToBin(parseAddress(terms.voter).hash), BigInt(terms.unlock_time)],
    network,
  );

/** Checks that the parameters are within their ranges. Source: docs/design/covenants.md, rule 16. */
export const checkVoteLockTerms = ({ voter, unlock_time }: VoteTerms): readonly Finding[] => [
  checkOneKey('voterAddress', voter),
  checkDate('unlockTime', unlock_time),
];
