/** Valid spends of vaults and of vote locks, and their part of the oracle: I4, I9 and I10. */
import { sha256, utf8ToBin, type Output } from '@bitauth/libauth';
import { bind } from '../harness/bound.js';
import { called, DUST, fungible, nft, OTHER, owned, plain, THREAD, TOKEN } from '../harness/coins.js';
import { outsider, recipient as voter, signers } from '../harness/parties.js';
import { FINAL, type Input, type Spend } from '../harness/spend.js';
import type { Judged, Violation } from '../invariants/oracle.js';
import { unsigned } from '../invariants/oracle-rows.js';
import { signersAt } from '../invariants/signers.js';
import { cases as vaultCases, vaultLayout } from '../vault.cases.js';
import { ballotLayout } from '../vote-lock.cases.js';
import type { Base } from './base.js';
import type { Random } from './random.js';

const isAt = (output: Output | undefined, lock: Uint8Array): boolean =>
  output !== undefined && Buffer.compare(output.lockingBytecode, lock) === 0;
const equal = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;

/** Signatures over everything: all inputs, their outputs, all outputs. */
const OVER_EVERYTHING = 0x61;
const STATE_SIZE = 5;
const LAST_COUNT = 0x7fffffffn;

/** What a vault takes for its thread: mutable, five bytes, version 1, and one spend more fits. */
const isThread = ({ token }: Output): boolean => {
  const { capability, commitment } = token?.nft ?? {};
  return (
    capability === 'mutable' &&
    commitment?.length === STATE_SIZE &&
    commitment[0] === 1 &&
    unsigned(commitment.slice(1)) < LAST_COUNT
  );
};

/** I9: coins of a vault move when two of the three have signed it all. I4: its thread goes on. */
export const judgeVault =
  (lock: Uint8Array) =>
  ({ spend, built }: Judged): Violation[] => {
    const spent = spend.inputs.filter(({ coin }) => isAt(coin, lock));
    if (spent.length === 0) return [];
    const signed = signersAt(built, 0, signers, OVER_EVERYTHING).length;
    const faults: Violation[] =
      signed < 2 ? [{ invariant: 'I9', what: `a coin of the vault moves with ${signed} signatures` }] : [];
    const threads = spent.filter(({ coin }) => isThread(coin));
    const [first] = spend.outputs;
    const goesOn = ({ coin }: Input): boolean => {
      const [before, after] = [coin.token?.nft?.commitment, first?.token?.nft?.commitment];
      return (
        isAt(first, lock) &&
        equal(first?.token?.category, coin.token?.category) &&
        first?.token?.nft?.capability === coin.token?.nft?.capability &&
        before !== undefined &&
        after?.length === STATE_SIZE &&
        after[0] === before[0] &&
        unsigned(after.slice(1)) === unsigned(before.slice(1)) + 1n
      );
    };
    if (threads.length > 1 || !threads.every(goesOn))
      faults.push({ invariant: 'I4', what: 'the thread of the vault does not go on' });
    return faults;
  };

/** I10: nothing leaves a vote lock before the end, nor without its voter. */
export const judgeVote =
  (lock: Uint8Array, end: number) =>
  ({ spend, built, now }: Judged): Violation[] =>
    spend.inputs.flatMap(({ coin, sequence }, at): Violation[] => {
      if (!isAt(coin, lock)) return [];
      const isInForce = sequence !== FINAL && spend.locktime >= end;
      return [
        ...(now < end || !isInForce
          ? [{ invariant: 'I10' as const, what: 'a stake moves before the end' }]
          : []),
        ...(signersAt(built, at, [voter]).length === 0
          ? [{ invariant: 'I7' as const, what: 'the voter has not signed' }]
          : []),
      ];
    });

const shared = {
  fields: [1, 4],
  categories: [THREAD, TOKEN, OTHER],
  isCareless: true,
  isValid: true,
} as const;

/** The moves of a vault, in its first states or later. */
export const vaultBases = (random: Random): Base[] =>
  vaultCases.moves.map((move): Base => {
    const spend = move.build();
    const contract = spend.inputs.flatMap(({ unlock }) => ('key' in unlock ? [] : [unlock.contract]))[0];
    if (contract === undefined) throw new Error('no vault');
    const { lock } = contract;
    const spends = random.integer(1_000);
    const state = (count: number): string => vaultLayout.encode({ version: 1, spends: count });
    const joined = (name: string, coin: Output): Input => called(name, coin, contract, 'join');
    const [one, two, three] = signers;
    return {
      ...shared,
      contract: 'vault',
      call: move.name.split(' › ')[0] ?? '',
      asset: 'any',
      spend,
      medianTime: spend.chainTime,
      attacker: outsider,
      roles: { A: one, B: two, C: three },
      calls: contract.artifact.abi.map(({ name, inputs }) => ({
        call: name,
        inputs: inputs.map((at) => at.name),
      })),
      locks: [outsider.lock, outsider.lock, lock, one.lock],
      commitments: [7, 8, 9].map((count) => Uint8Array.from(Buffer.from(state(count), 'hex'))),
      amounts: [1n, 546n, DUST, 50_000n, 100_000n],
      times: [0, 1, spend.locktime],
      inputs: [
        owned('spare', outsider, plain(outsider.lock, 100_000n)),
        owned('spare tokens', outsider, fungible(outsider.lock, 5_000n)),
        owned('own thread', outsider, nft(outsider.lock, state(7), DUST, OTHER)),
        joined('more', plain(lock, 1_000_000n)),
        joined('more tokens', fungible(lock, 9_000n)),
        joined('thread', nft(lock, state(spends), DUST)),
        joined('nft', nft(lock, 'c0ffee', DUST, OTHER, 'none')),
        called('the thread itself', nft(lock, state(spends), DUST), contract, 'spend', [
          one.publicKey,
          { sign: one },
          two.publicKey,
          { sign: two },
        ]),
      ],
      outputs: [
        plain(outsider.lock, 10_000n),
        nft(outsider.lock, state(8), DUST),
        nft(lock, state(8), DUST),
        fungible(outsider.lock, 9_000n),
      ],
      mostHostile: 2,
      judge: judgeVault(lock),
    };
  });

/** Stake and ballot of a vote that has ended. */
export const voteBases = (random: Random): Base[] => {
  const end = 1_700_000_000 + random.integer(100_000_000);
  const contract = bind('vote-lock', [sha256.hash(utf8ToBin(`vote ${end}`)), voter.hash, BigInt(end)]);
  const { lock } = contract;
  const stake = 1n + random.amount(1_000_000n);
  const ballot = ballotLayout.encode({
    version: 1,
    choice: random.integer(3),
    stake,
    proposal: 'ab'.repeat(20),
  });
  const args = [voter.publicKey, { sign: voter }] as const;
  const later = random.integer(1_000);
  const spend: Spend = {
    inputs: [
      called('stake', fungible(lock, stake), contract, 'unlock', args),
      called('ballot', nft(lock, ballot, DUST, THREAD, 'none'), contract, 'unlock', args),
      owned('fee', voter, plain(voter.lock, 50_000n)),
    ],
    outputs: [fungible(voter.lock, stake)],
    locktime: end + random.integer(later + 1),
    chainTime: end + later + 1,
  };
  const [attacker] = signers;
  return [
    {
      ...shared,
      contract: 'vote-lock',
      call: 'unlock',
      asset: 'tokens',
      spend,
      medianTime: spend.chainTime,
      attacker,
      roles: { voter },
      calls: [{ call: 'unlock', inputs: ['voterKey', 'voterSig'] }],
      locks: [attacker.lock, voter.lock, lock],
      commitments: [Uint8Array.from(Buffer.from(ballot, 'hex'))],
      fields: [1, 1, 8, 20],
      amounts: [1n, stake],
      times: [0, 1, 900_000, end - 1, end, end + 1, end - 1_000],
      inputs: [
        owned('spare', attacker, plain(attacker.lock, 100_000n)),
        called('more', fungible(lock, 700n), contract, 'unlock', args),
      ],
      outputs: [plain(attacker.lock, 10_000n), fungible(attacker.lock, stake), nft(lock, ballot, DUST)],
      isCareless: false,
      mostHostile: 1,
      judge: judgeVote(lock, end),
    },
  ];
};
