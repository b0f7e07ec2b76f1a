/** Vote locks: stake and ballot leave by their voter, once the end has passed. */
import { sha256, utf8ToBin } from '@bitauth/libauth';
import { bind } from '../../harness/bound.js';
import { called, DUST, fungible, nft, owned, plain } from '../../harness/coins.js';
import { outsider, recipient as voter, signers } from '../../harness/parties.js';
import { changeArgument, FINAL, signedArgument, type Spend } from '../../harness/spend.js';
import { ballotLayout } from '../../vote-lock.cases.js';
import type { Random } from '../random.js';
import type { FaultBase } from './base.js';
import { fit, type Fault } from './fault.js';
import { CATEGORY } from './scene.js';

type Vote = { readonly end: number; readonly stake: bigint; readonly asset: 'BCH' | 'tokens' };

const unlockOf = ({ end, stake, asset }: Vote, locktime: number, name = 'vote'): Spend => {
  const contract = bind('vote-lock', [sha256.hash(utf8ToBin(`${name} ${end}`)), voter.hash, BigInt(end)]);
  const { lock } = contract;
  const args = [voter.publicKey, { sign: voter }] as const;
  const content = { version: 1, choice: 1, stake, proposal: 'ab'.repeat(20) };
  const ballot = nft(lock, ballotLayout.encode(content), DUST, CATEGORY, 'none');
  const isTokens = asset === 'tokens';
  const spend: Spend = {
    inputs: [
      called('stake', isTokens ? fungible(lock, stake) : plain(lock, stake), contract, 'unlock', args),
      called('ballot', ballot, contract, 'unlock', args),
      owned('fee', voter),
    ],
    outputs: [isTokens ? fungible(voter.lock, stake) : plain(voter.lock, stake)],
    locktime,
    chainTime: Math.max(locktime, end) + 1,
  };
  return fit(spend, voter);
};

const inputFaults = (vote: Vote, legit: Spend, input: number): Fault[] => {
  const { end } = vote;
  const hasEnded = { invariant: 'I10', refusedBy: 'the vote has ended', input } as const;
  const signs = { invariant: 'I7', refusedBy: 'the voter signs', input } as const;
  const swapped = {
    ...legit,
    inputs: [legit.inputs[input], ...legit.inputs.filter((_, at) => at !== input)],
  } as Spend;
  const at0 = { ...signs, input: 0 };
  const parties = [outsider, ...signers];
  const other = { ...legit, outputs: [plain(voter.lock, 700n), ...legit.outputs] };
  return [
    { name: 'a second before the end', ...hasEnded, spend: unlockOf(vote, end - 1) },
    { name: 'without a locktime', ...hasEnded, spend: unlockOf(vote, 0) },
    { name: 'at a block height', ...hasEnded, spend: unlockOf(vote, 900_000) },
    {
      name: 'with a locktime that is out of force',
      ...hasEnded,
      spend: { ...legit, inputs: legit.inputs.map((each) => ({ ...each, sequence: FINAL })) },
    },
    {
      name: 'with a locktime that is out of force here',
      ...hasEnded,
      spend: {
        ...legit,
        inputs: legit.inputs.map((each, at) => (at === input ? { ...each, sequence: FINAL } : each)),
      },
    },
    ...parties.flatMap((party): Fault[] => [
      { name: `${party.name} signs`, ...at0, spend: changeArgument(swapped, 1, { sign: party }) },
      {
        name: `${party.name} signs with an own key`,
        ...at0,
        refusedBy: 'the key is the voter key',
        spend: changeArgument(changeArgument(swapped, 1, { sign: party }), 0, party.publicKey),
      },
    ]),
    {
      name: 'signed with another output',
      ...at0,
      spend: changeArgument(swapped, 1, signedArgument(other, 1)),
    },
  ];
};

/** A vote's stake and ballot, with what can be wrong with unlocking them. */
export const voteFaults = (random: Random): FaultBase[] =>
  (['tokens', 'BCH'] as const).map((asset): FaultBase => {
    const end = 1_700_000_000 + random.integer(100_000_000);
    const vote = { end, stake: 1_000n + random.amount(1_000_000n), asset };
    const legit = unlockOf(vote, end + random.integer(2) * random.integer(1_000));
    return {
      label: `vote-lock unlock ${asset}`,
      contract: 'vote-lock',
      legit,
      faults: [0, 1].flatMap((input) => inputFaults(vote, legit, input)),
    };
  });
