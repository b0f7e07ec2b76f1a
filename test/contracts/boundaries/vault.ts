/** Vault at the edges of what is a thread: a mutable NFT of 5 bytes, version 1, whose count has room for one more. */
import { binToHex } from '@bitauth/libauth';
import { bind, type Argument, type Bound } from '../harness/bound.js';
import type { Attack, Move } from '../harness/cases.js';
import { called, DUST, feeFrom, nft, NOW, OTHER, owned, plain, THREAD, thief } from '../harness/coins.js';
import { outsider, signers, type Party } from '../harness/parties.js';
import { addInputs, changeOutput, type Input, type Output, type Spend } from '../harness/spend.js';

const [one, two, three] = signers;

const vault = (): Bound =>
  bind('vault', [new Uint8Array(32).fill(9), one.publicKey, two.publicKey, three.publicKey]);
const signedBy = (first: Party, second: Party): Argument[] => [
  first.publicKey,
  { sign: first },
  second.publicKey,
  { sign: second },
];

type Capability = 'none' | 'mutable' | 'minting';
type Carried = readonly [name: string, commitment: string, capability?: Capability];

const LAST = 2 ** 31 - 1;
const stateOf = (version: number, count: number): string => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt32LE(count, 1);
  return binToHex(bytes);
};

/** Counts of a thread that goes on: at each byte's edge, and the last with room for one more. */
const COUNTS = [0, 1, 127, 128, 255, 256, 32_767, 65_535, 8_388_607, 16_777_215, LAST - 2, LAST - 1];

/** What is no thread. */
const OTHERS: readonly Carried[] = [
  ...[0, 1, 2, 3, 4, 6, 7, 39, 40].map((size): Carried => [`${size} bytes`, '01'.repeat(size)]),
  ['4 bytes of a thread', stateOf(1, 7).slice(0, 8)],
  ['a thread and a byte', `${stateOf(1, 7)}00`],
  ['version 0', stateOf(0, 7)],
  ['version 2', stateOf(2, 7)],
  ['version 129', stateOf(129, 7)],
  ['a full count', stateOf(1, LAST)],
  ['a count of minus nothing', stateOf(1, LAST + 1)],
  ['a count below zero', stateOf(1, LAST + 8)],
  ['the lowest count', stateOf(1, 2 ** 32 - 1)],
  ['an immutable thread', stateOf(1, 7), 'none'],
  ['a minting thread', stateOf(1, 7), 'minting'],
  ['an immutable thread, full', stateOf(1, LAST), 'none'],
  ['an immutable thread of version 2', stateOf(2, 7), 'none'],
];

const carrying = ([, commitment, capability = 'mutable']: Carried, category = OTHER): Output =>
  nft(vault().lock, commitment, 60_000n, category, capability);

/** A coin of the vault at input 0, signed by two, and what stands behind it; all of it goes away. */
const spending = (coin: Output, behind: readonly Input[] = []): Spend => ({
  inputs: [called('coin', coin, vault(), 'spend', signedBy(one, two)), ...behind, feeFrom(outsider)],
  outputs: [plain(outsider.lock, DUST)],
  locktime: NOW,
  chainTime: NOW + 1,
});
const money = (): Output => plain(vault().lock, 100_000n);
const joining = (coin: Output, name = 'joined'): Input => called(name, coin, vault(), 'join');

/** The thread at input 0 goes on by one spend. */
const goesOn = (count: number, behind: readonly Input[] = []): Spend => {
  const spend = spending(nft(vault().lock, stateOf(1, count), DUST), behind);
  return { ...spend, outputs: [nft(vault().lock, stateOf(1, count + 1), DUST), ...spend.outputs] };
};

const move = (name: string, build: () => Spend): Move => ({ name, asset: 'BCH', kind: 'other', build });
const thread = (count: number): Output => nft(vault().lock, stateOf(1, count), 60_000n, THREAD);

export const vaultMoves: readonly Move[] = [
  ...COUNTS.map((count) => move(`spend › a thread of count ${count} goes on`, () => goesOn(count))),
  ...OTHERS.flatMap((carried) => [
    move(`spend › ${carried[0]}, which is no thread, leaves`, () => spending(carrying(carried))),
    move(`join › ${carried[0]}, which is no thread, joins`, () =>
      spending(money(), [joining(carrying(carried))]),
    ),
    move(`join › ${carried[0]}, which is no thread, joins the thread`, () =>
      goesOn(7, [joining(carrying(carried))]),
    ),
  ]),
  move('join › a coin joins at input 2, behind a person', () =>
    spending(money(), [owned('person', thief), joining(plain(vault().lock, DUST))]),
  ),
];

export const vaultAttacks: readonly Attack[] = COUNTS.flatMap((count): Attack[] => [
  {
    attack: 'vault-thread',
    name: `spend › a thread of count ${count} leaves`,
    build: () => spending(thread(count)),
    refusedBy: 'output 0 stays at the vault',
  },
  {
    attack: 'vault-thread',
    name: `join › a thread of count ${count} leaves by joining`,
    build: () => spending(money(), [joining(thread(count))]),
    refusedBy: 'the thread does not join',
    input: 1,
  },
  {
    attack: 'vault-thread',
    name: `join › a thread of count ${count} leaves by joining at input 2`,
    build: () => spending(money(), [joining(money(), 'first'), joining(thread(count))]),
    refusedBy: 'the thread does not join',
    input: 2,
  },
  {
    attack: 'commitment',
    name: `spend › a thread of count ${count} stands still`,
    build: () => changeOutput(goesOn(count), 0, nft(vault().lock, stateOf(1, count), DUST)),
    refusedBy: 'output 0 carries the new state',
  },
  {
    attack: 'forged',
    name: `spend › a thread of count ${count} stands at input 1`,
    build: () => addInputs(goesOn(count), [owned('first', thief)], 0),
    refusedBy: 'the signers sign at input 0',
    input: 1,
  },
]);
