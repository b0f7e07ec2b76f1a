/**
 * The transactions of a vote: coins and terms in, an unsigned transaction out. `observe.ts` reads the same outputs
 * back.
 */
import { placeholderPublicKey, placeholderSignature } from 'cashscript';
import type { Address } from '../../bch/address.js';
import {
  fungibleCoins,
  insufficientSatoshis,
  plainCoins,
  sumSatoshis,
  sumTokens,
  type Coin,
  type Output,
} from '../../bch/coins.js';
import type { Network } from '../../bch/network.js';
import { buildPayment, TOKEN_CHANGE_SATOSHIS, type Payment } from '../../bch/payment.js';
import { TreasuryError } from '../../errors.js';
import { voteLockContract, type VoteLockTerms } from './contract.js';
import { TOKEN_PAYOUT_DUST } from '../../covenant/reserve.js';
import { buildSpend, type UnsignedTransaction } from '../../covenant/spend.js';
import type { Choice } from './proposal.js';
import { decodeBallot, encodeBallot, proposalHash } from './state.js';

/** Satoshis on the stake and on the ballot: above their dust, and together enough to pay for the unlock. */
const LOCK_DUST = 1_000n;
/** Covers the fees of a preparation and of the lock after it, in satoshis. */
const FEE_ROOM = 1_500n;
/** Stakes that one unlock returns: enough for every vote, and far below the size limit. */
const MAXIMUM_STAKES = 20;

/** A vote that is to be cast. */
export type Stake = {
  readonly choice: Choice;
  readonly tokenCategory: string;
  /** Smallest unit. */
  readonly amount: bigint;
};

export type LockPlan = {
  readonly terms: VoteLockTerms;
  readonly stake: Stake;
  readonly voter: Address;
  readonly voterCoins: readonly Coin[];
  /** The coin that the ballot is minted from; null: one is chosen. */
  readonly genesisCoin?: Coin | null;
  readonly network: Network;
};

export type Lock =
  | { readonly kind: 'ready'; readonly payment: Payment; readonly genesisCoin: Coin }
  /** The self-send to sign first; then ask again. */
  | { readonly kind: 'preparation'; readonly payment: Payment };

/** The ballot of a vote, hex. */
export const ballotOf = (proposalId: string, { choice, amount }: Stake): string =>
  encodeBallot({ choice, stake: amount, proposal: proposalHash(proposalId) });

/** What a lock promises: the stake, and beside it the ballot. */
export const lockOutputs = (
  { terms, stake, network }: Pick<LockPlan, 'terms' | 'stake' | 'network'>,
  ballotCategory: string,
): readonly Output[] => {
  const { lockingBytecode } = voteLockContract(terms, network);
  const nft = { capability: 'none', commitment: ballotOf(terms.proposal_id, stake) } as const;
  return [
    {
      lockingBytecode,
      satoshis: LOCK_DUST,
      token: { category: stake.tokenCategory, amount: stake.amount },
    },
    { lockingBytecode, satoshis: LOCK_DUST, token: { category: ballotCategory, amount: 0n, nft } },
  ];
};

/** @throws insufficient_funds, in the token or in BCH */
const checkFunds = ({ stake, voter, voterCoins }: LockPlan): void => {
  const { tokenCategory: category, amount } = stake;
  const held = sumTokens(fungibleCoins(voterCoins, category), category);
  if (held < amount) {
    throw new TreasuryError('insufficient_funds', {
      address: voter.text,
      asset: `units of the token ${category}`,
      available: held.toString(),
      needed: amount.toString(),
    });
  }
  const available = sumSatoshis(plainCoins(voterCoins));
  const needed = 2n * LOCK_DUST + TOKEN_CHANGE_SATOSHIS + FEE_ROOM;
  if (available < needed) throw insufficientSatoshis(voter.text, available, needed);
};

/**
 * The lock of a vote, or the preparation it needs: the ballot's category is a coin of index 0 of the voter's.
 *
 * @throws insufficient_funds, in the token or in BCH
 */
export const buildLock = (plan: LockPlan): Lock => {
  const { voter, voterCoins } = plan;
  const genesisCoin = plan.genesisCoin ?? plainCoins(voterCoins).find(({ vout }) => vout === 0);
  if (genesisCoin !== undefined) {
    const outputs = lockOutputs(plan, genesisCoin.txid);
    const requiredCoins = [genesisCoin];
    return {
      kind: 'ready',
      genesisCoin,
      payment: buildPayment({ payer: voter, coins: voterCoins, outputs, requiredCoins }),
    };
  }
  // Check: what the lock will need is there, before a preparation is asked of the wallet.
  checkFunds(plan);
  return {
    kind: 'preparation',
    payment: buildPayment({ payer: voter, coins: voterCoins, outputs: [], changePosition: 'first' }),
  };
};

/** What an unlock takes: stakes of one token, and the ballots that were cast with them. */
export type LockedCoins = { readonly stakes: readonly Coin[]; readonly ballots: readonly Coin[] };

/**
 * The coins at a vote lock that an unlock of a token takes: those of the vote itself first, whatever strangers sent
 * beside them. Other NFTs stay: nothing but ballots is burned.
 *
 * @param lockTxid the transaction of the vote that counts, or null when none does
 */
export const lockedCoins = (
  coins: readonly Coin[],
  tokenCategory: string,
  lockTxid: string | null = null,
): LockedCoins => {
  const ownFirst = (found: readonly Coin[]): readonly Coin[] =>
    [
      ...found.filter(({ txid }) => txid === lockTxid),
      ...found.filter(({ txid }) => txid !== lockTxid),
    ].slice(0, MAXIMUM_STAKES);
  const stakes = ownFirst(fungibleCoins(coins, tokenCategory));
  const isBallot = ({ txid, token }: Coin): boolean =>
    token?.nft?.capability === 'none' &&
    token.amount === 0n &&
    decodeBallot(token.nft.commitment) !== null &&
    stakes.some((stake) => stake.txid === txid);
  return { stakes, ballots: ownFirst(coins.filter(isBallot)) };
};

export type UnlockPlan = {
  readonly terms: VoteLockTerms;
  readonly tokenCategory: string;
  readonly coins: LockedCoins;
  readonly voter: Address;
  readonly voterCoins: readonly Coin[];
  /** Chain now, unix seconds. */
  readonly locktime: number;
  readonly network: Network;
};

/** Returns the stakes to the voter and burns the ballots. @throws insufficient_funds */
export const buildUnlock = (plan: UnlockPlan): UnsignedTransaction => {
  const { terms, tokenCategory: category, coins, voter, voterCoins, locktime, network } = plan;
  const contract = voteLockContract(terms, network);
  return buildSpend({
    network,
    inputs: [...coins.stakes, ...coins.ballots].map((coin) => ({
      coin,
      unlocker: contract.unlock('unlock', placeholderPublicKey(), placeholderSignature()),
    })),
    outputs: [
      {
        lockingBytecode: voter.lockingBytecode,
        satoshis: TOKEN_PAYOUT_DUST,
        token: { category, amount: sumTokens(coins.stakes, category) },
      },
    ],
    payer: voter,
    payerCoins: voterCoins,
    locktime,
  });
};
