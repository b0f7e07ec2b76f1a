/** Vault: two of three, never one, never one twice, and the thread never leaves. */
import { secp256k1, sha256, utf8ToBin } from '@bitauth/libauth';
import { commitment } from '../../src/bch/commitment.js';
import { vaultAttacks, vaultMoves } from './boundaries/vault.js';
import { AUDITED, VOTE_LOCK_ONLY } from './harness/absent.js';
import { bind, type Argument, type Bound } from './harness/bound.js';
import type { Attack, ContractCases, Move, Variation } from './harness/cases.js';
import { called, DUST, feeFrom, fungible, nft, NOW, OTHER, owned, plain, thief } from './harness/coins.js';
import { outsider, signers, type Party } from './harness/parties.js';
import {
  addInputs,
  changeArgument,
  changeInput,
  changeOutput,
  signedArgument,
  type Input,
  type Output,
  type Spend,
} from './harness/spend.js';

export const vaultLayout = commitment({ version: 'u8', spends: 'u32' });
const [one, two, three] = signers;

const vault = ({ sibling = false }: Variation = {}): Bound =>
  bind('vault', [
    sha256.hash(utf8ToBin(sibling ? 'vault two' : 'vault one')),
    one.publicKey,
    two.publicKey,
    three.publicKey,
  ]);

const signedBy = (first: Party, second: Party): Argument[] => [
  first.publicKey,
  { sign: first },
  second.publicKey,
  { sign: second },
];

const joined = (name: string, coin: Output, contract = vault()): Input =>
  called(name, coin, contract, 'join');

/** Spends a coin of the vault to somebody, and whatever joins it. */
const spendCoin =
  (args: readonly Argument[] = signedBy(one, two), joining: () => readonly Input[] = () => []) =>
  (variation: Variation = {}): Spend => {
    const contract = vault(variation);
    return {
      inputs: [
        called('coin', plain(contract.lock, 100_000n), contract, 'spend', args),
        ...joining(),
        feeFrom(outsider),
      ],
      outputs: [plain(outsider.lock, 99_000n)],
      locktime: NOW,
      chainTime: NOW + 1,
    };
  };

const stateAt = (spends: number): string => vaultLayout.encode({ version: 1, spends });

const spendThread =
  (spends = 7, joining: () => readonly Input[] = () => []) =>
  (variation: Variation = {}): Spend => {
    const contract = vault(variation);
    const thread = (count: number) => nft(contract.lock, stateAt(count), DUST);
    return {
      inputs: [
        called('thread', thread(spends), contract, 'spend', signedBy(one, three)),
        ...joining(),
        feeFrom(outsider),
      ],
      outputs: [thread(spends + 1), plain(outsider.lock, DUST)],
      locktime: NOW,
      chainTime: NOW + 1,
    };
  };

const vaultCoin = (satoshis = 50_000n): Input => joined('joining', plain(vault().lock, satoshis));
const vaultTokens = (): Input => joined('tokens', fungible(vault().lock, 800n));
const vaultNft = (): Input => joined('nft', nft(vault().lock, 'c0ffee', DUST, OTHER, 'none'));

const other = (name: string, build: Move['build']): Move => ({ name, asset: 'BCH', kind: 'other', build });

const moves: Move[] = [
  other('spend › by signers 1 and 2', spendCoin(signedBy(one, two))),
  other('spend › by signers 1 and 3', spendCoin(signedBy(one, three))),
  other('spend › by signers 2 and 3', spendCoin(signedBy(two, three))),
  other('spend › the thread goes on', spendThread()),
  other('spend › the thread goes on for the first time', spendThread(0)),
  other(
    'join › a coin joins',
    spendCoin(signedBy(one, two), () => [vaultCoin()]),
  ),
  other(
    'join › tokens and an NFT join',
    spendCoin(signedBy(two, three), () => [vaultTokens(), vaultNft()]),
  ),
  other(
    'join › coins join the thread',
    spendThread(7, () => [vaultCoin(), vaultTokens()]),
  ),
];

/** Coins that carry what a thread does not: they move like any other, at input 0 and beside it. */
const UNLIKE = [
  ['an immutable NFT with the state of a thread', 'none', '0107000000'],
  ['a minting NFT with the state of a thread', 'minting', '0107000000'],
  ['a mutable NFT with a full count', 'mutable', '01ffffff7f'],
  ['a mutable NFT with a count below zero', 'mutable', '0107000080'],
  ['a mutable NFT with a count of minus zero', 'mutable', '0100000080'],
  ['a mutable NFT with the lowest count', 'mutable', '01ffffffff'],
  ['a mutable NFT of version 0', 'mutable', '0007000000'],
  ['a mutable NFT of version 2', 'mutable', '0207000000'],
  ['a mutable NFT with a commitment of 4 bytes', 'mutable', '01070000'],
  ['a mutable NFT with a commitment of 6 bytes', 'mutable', '010700000000'],
  ['a mutable NFT without a commitment', 'mutable', ''],
  ['an immutable NFT with a commitment of 40 bytes', 'none', '01'.repeat(40)],
] as const;

/** Coins that have all that a thread has: the first count, one in between, the last that goes on. */
const ALIKE = [
  ['the first count', 0],
  ['a count of 255', 255],
  ['the last count but one', 0x7ffffffe],
] as const;

const odd = (capability: 'none' | 'mutable' | 'minting', state: string): Output => ({
  ...nft(vault().lock, state, 60_000n, OTHER, capability),
});

moves.push(
  ...UNLIKE.flatMap(([name, capability, state]) => [
    other(
      `join › ${name} joins`,
      spendCoin(signedBy(one, two), () => [joined('odd', odd(capability, state))]),
    ),
    other(
      `join › ${name} joins the thread`,
      spendThread(7, () => [joined('odd', odd(capability, state))]),
    ),
    other(`spend › ${name} leaves at input 0`, () =>
      changeInput(spendCoin()(), 0, { coin: odd(capability, state) }),
    ),
  ]),
  ...ALIKE.map(([name, count]) => other(`spend › the thread goes on from ${name}`, spendThread(count))),
);

const SLOTS = [
  { name: 'first', at: 1, by: one, second: 'the first signer is signer 1 or 2' },
  { name: 'second', at: 3, by: two, second: 'the second signer is a later one' },
] as const;

const signerAttacks = (): Attack[] =>
  SLOTS.flatMap(({ name, at, by, second }): Attack[] => [
    ...[one, two, three, outsider]
      .filter((party) => party !== by)
      .map((party): Attack => ({
        attack: 'signer',
        name: `spend › ${party.name} signs in place of the ${name} signer`,
        build: () => changeArgument(spendCoin()(), at, { sign: party }),
        refusedBy: `the ${name} signer signs`,
      })),
    {
      attack: 'signer',
      name: `spend › an outsider with an own key in place of the ${name} signer`,
      build: () =>
        changeArgument(changeArgument(spendCoin()(), at, { sign: outsider }), at - 1, outsider.publicKey),
      refusedBy: second,
    },
    {
      attack: 'signer',
      name: `spend › the ${name} signer does not sign`,
      build: () => changeArgument(spendCoin()(), at, new Uint8Array()),
      refusedBy: 'vm: OP_SPLIT',
    },
    {
      attack: 'length',
      name: `spend › the ${name} signature is of another length`,
      build: () => changeArgument(spendCoin()(), at, new Uint8Array(71).fill(0x61)),
      refusedBy: `the ${name} signature covers everything`,
    },
    {
      attack: 'replay',
      name: `spend › the ${name} signature comes from a sibling vault`,
      build: () => changeArgument(spendCoin()(), at, signedArgument(spendCoin()({ sibling: true }), at)),
      refusedBy: `the ${name} signer signs`,
    },
    {
      attack: 'replay',
      name: `spend › the ${name} signature comes from another transaction`,
      build: () =>
        changeArgument(
          spendCoin()(),
          at,
          signedArgument(changeOutput(spendCoin()(), 0, { valueSatoshis: 1_000n }), at),
        ),
      refusedBy: `the ${name} signer signs`,
    },
    {
      attack: 'replay',
      name: `spend › the ${name} signature is older than a coin that joins`,
      build: () =>
        changeArgument(
          spendCoin(signedBy(one, two), () => [vaultCoin()])(),
          at,
          signedArgument(spendCoin()(), at),
        ),
      refusedBy: `the ${name} signer signs`,
    },
    ...HASH_TYPES.map(([label, hashType]): Attack => ({
      attack: 'vault-hash-type',
      name: `spend › the ${name} signature has the hash type ${label}`,
      build: () => changeArgument(spendCoin()(), at, { sign: by, hashType }),
      refusedBy: `the ${name} signature covers everything`,
    })),
    {
      attack: 'vault-hash-type',
      name: `spend › the ${name} signature is ECDSA`,
      build: () => changeArgument(spendCoin()(), at, { sign: by, ecdsa: true }),
      refusedBy: `the ${name} signature covers everything`,
    },
  ]);

const HASH_TYPES = [
  ['ALL', 0x41],
  ['NONE', 0x42],
  ['SINGLE', 0x43],
  ['NONE and UTXOS', 0x62],
  ['SINGLE and UTXOS', 0x63],
  ['ALL and ANYONECANPAY', 0xc1],
  ['NONE and ANYONECANPAY', 0xc2],
] as const;

/** The same point with the other y. */
const mirrored = (key: Uint8Array): Uint8Array => key.map((byte, index) => (index === 0 ? byte ^ 1 : byte));

const pairs: readonly (readonly [string, Party, Party, string])[] = [
  ['signer 1 twice', one, one, 'the second signer is a later one'],
  ['signer 2 twice', two, two, 'the second signer is a later one'],
  ['signer 3 twice', three, three, 'the first signer is signer 1 or 2'],
  ['signers 2 and 1', two, one, 'the second signer is a later one'],
  ['signers 3 and 1', three, one, 'the first signer is signer 1 or 2'],
  ['signers 3 and 2', three, two, 'the first signer is signer 1 or 2'],
];

const keyAttacks: Attack[] = [
  ...pairs.map(([name, first, second, refusedBy]): Attack => ({
    attack: 'vault-keys',
    name: `spend › ${name}`,
    build: spendCoin(signedBy(first, second)),
    refusedBy,
  })),
  ...(
    [
      ['long', secp256k1.uncompressPublicKey(one.publicKey) as Uint8Array],
      ['mirrored', mirrored(one.publicKey)],
    ] as const
  ).map(([name, key]): Attack => ({
    attack: 'vault-keys',
    name: `spend › signer 1 twice, once with the ${name} encoding of the key`,
    build: spendCoin([one.publicKey, { sign: one }, key, { sign: one }]),
    refusedBy: 'the second signer is a later one',
  })),
];

const withThread = (change: (thread: Output) => Output) => () => {
  const spend = spendThread()();
  const [thread, ...others] = spend.outputs;
  return { ...spend, outputs: [change(thread as Output), ...others] };
};
const withState = (state: string) => withThread(({ lockingBytecode }) => nft(lockingBytecode, state, DUST));

const carriesThread = 'output 0 carries the thread';
const carriesState = 'output 0 carries the new state';

const threadAttacks: Attack[] = [
  {
    attack: 'vault-thread',
    name: 'spend › the thread is dropped',
    build: withThread(({ lockingBytecode }) => plain(lockingBytecode, DUST)),
    refusedBy: carriesThread,
  },
  {
    attack: 'vault-thread',
    name: 'spend › the thread goes on at output 1',
    build: () => {
      const { outputs, ...spend } = spendThread()();
      return { ...spend, outputs: outputs.toReversed() };
    },
    refusedBy: 'output 0 stays at the vault',
  },
  {
    attack: 'vault-thread',
    name: 'join › the thread leaves through join',
    build: spendCoin(signedBy(one, two), () => [joined('thread', nft(vault().lock, stateAt(7), DUST))]),
    refusedBy: 'the thread does not join',
    input: 1,
  },
  {
    attack: 'two-threads',
    name: 'join › a second thread joins the first',
    build: spendThread(7, () => [joined('second', nft(vault().lock, stateAt(9), DUST))]),
    refusedBy: 'the thread does not join',
    input: 1,
  },
  ...ALIKE.flatMap(([name, count]): Attack[] => [
    {
      attack: 'vault-thread',
      name: `join › a thread with ${name} leaves through join`,
      build: spendCoin(signedBy(one, two), () => [joined('thread', nft(vault().lock, stateAt(count), DUST))]),
      refusedBy: 'the thread does not join',
      input: 1,
    },
    {
      attack: 'vault-thread',
      name: `spend › a thread with ${name} is dropped`,
      build: () => changeInput(spendCoin()(), 0, { coin: nft(vault().lock, stateAt(count), 100_000n) }),
      refusedBy: 'output 0 stays at the vault',
    },
  ]),
  {
    attack: 'address',
    name: 'spend › the thread goes to a thief',
    build: withThread((thread) => ({ ...thread, lockingBytecode: thief.lock })),
    refusedBy: 'output 0 stays at the vault',
  },
  {
    attack: 'address',
    name: 'spend › the thread goes to a sibling vault',
    build: withThread((thread) => ({ ...thread, lockingBytecode: vault({ sibling: true }).lock })),
    refusedBy: 'output 0 stays at the vault',
  },
  {
    attack: 'category',
    name: 'spend › output 0 carries another category',
    build: withThread(({ lockingBytecode }) => nft(lockingBytecode, stateAt(8), DUST, OTHER)),
    refusedBy: carriesThread,
  },
  ...(['minting', 'none'] as const).map((capability): Attack => ({
    attack: 'category',
    name: `spend › output 0 has the capability ${capability}`,
    build: withThread(({ lockingBytecode }) => nft(lockingBytecode, stateAt(8), DUST, undefined, capability)),
    refusedBy: carriesThread,
  })),
  ...(
    [
      ['another version', vaultLayout.encode({ version: 2, spends: 8 })],
      ['the same count', stateAt(7)],
      ['a count of one more', stateAt(9)],
      ['a byte more', `${stateAt(8)}00`],
      ['a byte less', stateAt(8).slice(0, -2)],
      ['nothing', ''],
    ] as const
  ).map(([name, state]): Attack => ({
    attack: 'commitment',
    name: `spend › the new state is ${name}`,
    build: withState(state),
    refusedBy: carriesState,
  })),
];

const placeAttacks: Attack[] = [
  {
    attack: 'forged',
    name: "join › a coin joins a person's",
    build: () => addInputs(spendCoin(signedBy(one, two), () => [vaultCoin()])(), [owned('first', thief)], 0),
    refusedBy: 'input 0 is of this vault',
    input: 2,
  },
  {
    attack: 'forged',
    name: 'join › a coin joins a sibling vault',
    build: () => spendCoin(signedBy(one, two), () => [vaultCoin()])({ sibling: true }),
    refusedBy: 'input 0 is of this vault',
    input: 1,
  },
  {
    attack: 'forged',
    name: 'join › a coin joins itself at input 0',
    build: () => ({
      inputs: [vaultCoin(), feeFrom(thief)],
      outputs: [plain(thief.lock, 50_000n)],
      locktime: NOW,
      chainTime: NOW + 1,
    }),
    refusedBy: 'a coin joins another',
  },
  {
    attack: 'forged',
    name: 'spend › a signed coin at input 1',
    build: () => addInputs(spendCoin()(), [owned('first', thief)], 0),
    refusedBy: 'the signers sign at input 0',
    input: 1,
  },
  {
    attack: 'forged',
    name: 'spend › the thread at input 1, behind a signed coin, so that it need not go on',
    build: () => {
      const [thread] = spendThread()().inputs;
      if (thread === undefined) throw new Error('no thread');
      return addInputs(spendCoin()(), [thread], 1);
    },
    refusedBy: 'the signers sign at input 0',
    input: 1,
  },
  {
    attack: 'forged',
    name: 'spend › the fee coin is another after signing',
    build: () => {
      const spend = spendCoin()();
      const kept = [1, 3].reduce((kept, at) => changeArgument(kept, at, signedArgument(spend, at)), spend);
      return changeInput(kept, 1, owned('another fee', thief));
    },
    refusedBy: 'the first signer signs',
  },
];

const noTime = 'no time: two signers may always spend';
const noAuthority = 'no authority: only the signers sign';
const noAmount = 'the script knows no amount: two signers may pay anything';
const noReserve = 'no reserve: tokens lie in the vault itself and join like any coin';

export const cases: ContractCases = {
  contract: 'vault',
  source: 'vaults/vault.cash',
  layout: vaultLayout,
  moves: [...moves, ...vaultMoves],
  attacks: [...signerAttacks(), ...keyAttacks, ...threadAttacks, ...placeAttacks, ...vaultAttacks],
  absent: {
    'over-claim': noAmount,
    amount: noAmount,
    'future-time': noTime,
    'final-sequences': noTime,
    'block-height': noTime,
    'no-witness': noAuthority,
    'other-witness': noAuthority,
    ticket: noAuthority,
    'skim-value': noAmount,
    'skim-reserve': noReserve,
    decoy: noReserve,
    passenger: noReserve,
    leak: 'a vault has no end: the thread always goes on',
    alone: noReserve,
    batch: noReserve,
    'forged-nft': noReserve,
    twin: AUDITED,
    'other-token': noReserve,
    status: 'no status',
    finished: 'a vault has no end',
    segment: 'no schedule',
    flag: 'no flags',
    payout: noAmount,
    glued: noAmount,
    'too-light': noAmount,
    terms: 'no terms but the signers',
    ...VOTE_LOCK_ONLY,
  },
};
