/** VoteLock: stake and ballot leave together, after the end, for the voter. */
import { sha256, utf8ToBin } from '@bitauth/libauth';
import { bytes, commitment } from '../../src/bch/commitment.js';
import { VAULT_ONLY } from './harness/absent.js';
import { bind, type Bound } from './harness/bound.js';
import type { Attack, ContractCases, Move, Variation } from './harness/cases.js';
import { called, DUST, feeFrom, fungible, nft, NOW, plain, thief } from './harness/coins.js';
import { deriveAttacks } from './harness/derive.js';
import { recipient as voter } from './harness/parties.js';
import {
  changeArgument,
  changeInput,
  changeOutput,
  FINAL,
  signedArgument,
  type Spend,
} from './harness/spend.js';

export const ballotLayout = commitment({ version: 'u8', choice: 'u8', stake: 'u64', proposal: bytes(20) });

const END = NOW - 100;
const STAKE = 7_000n;
const BALLOT = ballotLayout.encode({ version: 1, choice: 1, stake: STAKE, proposal: 'ab'.repeat(20) });

const lockOf = ({ sibling = false }: Variation): Bound =>
  bind('vote-lock', [sha256.hash(utf8ToBin(sibling ? 'vote two' : 'vote one')), voter.hash, BigInt(END)]);

const ARGUMENTS = [voter.publicKey, { sign: voter }] as const;

const unlock =
  (now = NOW, chainTime = NOW + 1) =>
  (variation: Variation = {}): Spend => {
    const contract = lockOf(variation);
    return {
      inputs: [
        called('stake', fungible(contract.lock, STAKE), contract, 'unlock', ARGUMENTS),
        called('ballot', nft(contract.lock, BALLOT, DUST, undefined, 'none'), contract, 'unlock', ARGUMENTS),
        feeFrom(voter),
      ],
      outputs: [fungible(voter.lock, STAKE)],
      locktime: variation.now ?? now,
      chainTime,
    };
  };

const strayCoin = (variation: Variation = {}): Spend => {
  const contract = lockOf(variation);
  return {
    inputs: [called('stray', plain(contract.lock, 10_000n), contract, 'unlock', ARGUMENTS)],
    outputs: [plain(voter.lock, 9_000n)],
    locktime: NOW,
    chainTime: NOW + 1,
  };
};

const moves: Move[] = [
  { name: 'unlock › stake and ballot, long after the end', asset: 'tokens', kind: 'other', build: unlock() },
  {
    name: 'unlock › stake and ballot, at the second of the end',
    asset: 'tokens',
    kind: 'other',
    build: unlock(END, END + 1),
  },
  { name: 'unlock › a coin that somebody sent here', asset: 'BCH', kind: 'other', build: strayCoin },
];

const ended = 'the vote has ended';
const each = [0, 1] as const;

const attacks: Attack[] = [
  ...each.flatMap((input): Attack[] => [
    {
      attack: 'early-unlock',
      name: `unlock › a second before the end, input ${input}`,
      build: () => unlock(END - 1)(),
      refusedBy: ended,
      input,
    },
    {
      attack: 'early-unlock',
      name: `unlock › without a locktime, input ${input}`,
      build: () => unlock(0)(),
      refusedBy: ended,
      input,
    },
    {
      attack: 'final-sequences',
      name: `unlock › before the end, a locktime behind it and final sequences, input ${input}`,
      build: () => {
        const spend = unlock(END, END - 1_000)();
        return { ...spend, inputs: spend.inputs.map((at) => ({ ...at, sequence: FINAL })) };
      },
      refusedBy: ended,
      input,
    },
    {
      attack: 'block-height',
      name: `unlock › a block height as locktime, input ${input}`,
      build: () => unlock(900_000)(),
      refusedBy: ended,
      input,
    },
  ]),
  {
    attack: 'final-sequences',
    name: 'unlock › a final sequence at the ballot alone',
    build: () => changeInput(unlock()(), 1, { sequence: FINAL }),
    refusedBy: ended,
    input: 1,
  },
  {
    attack: 'future-time',
    name: 'unlock › before the end, a locktime behind it',
    build: () => unlock(END, END)(),
    refusedBy: 'chain: the locktime has not passed',
  },
  {
    attack: 'payout',
    name: "unlock › a thief's outputs under the voter's signature",
    build: () => {
      const spend = unlock()();
      return changeOutput(changeArgument(spend, 1, signedArgument(spend, 1)), 0, {
        lockingBytecode: thief.lock,
      });
    },
    refusedBy: 'the voter signs',
  },
];

const noThread = 'no thread: the lock has no state';
const noAuthority = 'no authority: only the voter signs';
const noAmount = 'the script knows no amount: a signer takes all';

export const cases: ContractCases = {
  contract: 'vote-lock',
  source: 'governance/vote-lock.cash',
  layout: null,
  moves,
  attacks: [...attacks, ...deriveAttacks(moves, null)],
  absent: {
    'over-claim': noAmount,
    amount: noAmount,
    'no-witness': noAuthority,
    'other-witness': noAuthority,
    ticket: noAuthority,
    'skim-value': noThread,
    'skim-reserve': 'no reserve: the stake lies at the lock itself',
    decoy: 'no reserve: the stake lies at the lock itself',
    glued: 'the voter signs, and chooses the outputs',
    'too-light': 'the voter signs, and chooses the outputs',
    passenger: 'no reserve: the stake lies at the lock itself',
    commitment: noThread,
    address: noThread,
    category: noThread,
    leak: noThread,
    forged: 'every coin here checks its own signature',
    'two-threads': 'every coin here checks its own signature',
    alone: 'no reserve: the stake lies at the lock itself',
    batch: 'no reserve: the stake lies at the lock itself',
    'forged-nft': 'no reserve: the stake lies at the lock itself',
    twin: noThread,
    'other-token': 'no reserve: the stake lies at the lock itself',
    status: noThread,
    finished: 'spent coins do not move again; the lock may be used once more, under the same rules',
    segment: 'no schedule',
    flag: 'no flags',
    terms: 'the end is the only term: see "An early unlock"',
    ...VAULT_ONLY,
    ballots:
      'a script cannot see how a ballot was minted: whoever counts refuses, in the rules of governance',
  },
};
