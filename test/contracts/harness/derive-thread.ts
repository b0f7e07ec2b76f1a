/** Attacks on the thread: where it goes, what it carries, where it stands among the inputs. */
import { binToHex, hexToBin } from '@bitauth/libauth';
import type { Attack, Move, StateLayout } from './cases.js';
import { concat, DUST, nft, OTHER, owned, plain, THREAD, thief } from './coins.js';
import { addInputs, addOutputs, callAt, changeOutput, type Output, type Spend } from './spend.js';

const flipByte = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));

const withState = (spend: Spend, change: (state: Uint8Array) => Uint8Array): Spend => {
  const { token } = spend.outputs[0] as Output;
  if (token?.nft === undefined) throw new Error('output 0 carries no thread');
  const { capability, commitment } = token.nft;
  return changeOutput(spend, 0, { token: { ...token, nft: { capability, commitment: change(commitment) } } });
};

export const commitmentAttacks = ({ build }: Move, layout: StateLayout): Attack[] => {
  const changes: [string, (state: Uint8Array) => Uint8Array][] = [
    ['one byte longer', (state) => concat(state, Uint8Array.of(0))],
    ['one byte shorter', (state) => state.slice(0, -1)],
    ['empty', () => new Uint8Array()],
    ...Object.entries(layout.offsets).map(([field, { offset }]): (typeof changes)[number] => [
      `another ${field}`,
      (state) => flipByte(state, offset),
    ]),
  ];
  return changes.map(([name, change]) => ({
    attack: 'commitment',
    name: `the new state is ${name}`,
    build: () => withState(build(), change),
    refusedBy: 'output 0 carries the new state',
  }));
};

export const continuationAttacks = ({ kind, asset, name, build }: Move): Attack[] => {
  const carriesThread = 'output 0 carries the thread';
  const threadAs = (change: Partial<NonNullable<Output['token']>>) => () => {
    const spend = build();
    const token = spend.outputs[0]?.token as NonNullable<Output['token']>;
    return changeOutput(spend, 0, { token: { ...token, ...change } });
  };
  const capability = (as: 'minting' | 'none') => () => {
    const state = build().outputs[0]?.token?.nft?.commitment as Uint8Array;
    return threadAs({ nft: { capability: as, commitment: state } })();
  };
  const keepsValue =
    kind === 'keeps'
      ? 'output 0 keeps the value'
      : asset === 'BCH'
        ? 'output 0 keeps the pool'
        : 'output 0 keeps its satoshis';
  const skim = (satoshis: bigint) => () => {
    const spend = build();
    const before = spend.outputs[0]?.valueSatoshis ?? 0n;
    return changeOutput(spend, 0, { valueSatoshis: before - satoshis });
  };
  const refillsBch = name.startsWith('refill') && asset === 'BCH';
  return [
    {
      attack: 'address',
      name: "output 0 goes to a thief's address",
      build: () => changeOutput(build(), 0, { lockingBytecode: thief.lock }),
      refusedBy: 'output 0 stays at the covenant',
    },
    {
      attack: 'address',
      name: 'output 0 goes to a sibling deployment',
      build: () =>
        changeOutput(build(), 0, {
          lockingBytecode: build({ sibling: true }).inputs[0]?.coin.lockingBytecode as Uint8Array,
        }),
      refusedBy: 'output 0 stays at the covenant',
    },
    {
      attack: 'category',
      name: 'output 0 carries another category',
      build: threadAs({ category: hexToBin(OTHER) }),
      refusedBy: carriesThread,
    },
    {
      attack: 'category',
      name: 'output 0 is minting',
      build: capability('minting'),
      refusedBy: carriesThread,
    },
    {
      attack: 'category',
      name: 'output 0 is immutable',
      build: capability('none'),
      refusedBy: carriesThread,
    },
    {
      attack: 'category',
      name: 'output 0 carries no thread, which goes to a thief',
      build: () => {
        const spend = build();
        const thread = spend.outputs[0] as Output;
        const { lockingBytecode, valueSatoshis } = thread;
        const without = {
          ...spend,
          outputs: [plain(lockingBytecode, valueSatoshis), ...spend.outputs.slice(1)],
        };
        return addOutputs(without, { ...thread, lockingBytecode: thief.lock, valueSatoshis: DUST });
      },
      refusedBy: carriesThread,
    },
    ...(refillsBch
      ? []
      : [1n, 454n].map((satoshis) => ({
          attack: 'skim-value' as const,
          name: `${satoshis} satoshis are skimmed from output 0`,
          build: skim(satoshis),
          refusedBy: keepsValue,
        }))),
    ...(kind === 'pays' && asset === 'tokens'
      ? []
      : [
          {
            attack: 'skim-value' as const,
            name: 'output 0 holds a satoshi more than it should',
            build: skim(-1n),
            refusedBy: refillsBch ? 'the pool grows by whole periods' : keepsValue,
          },
        ]),
  ];
};

export const leakAttacks = ({ build }: Move): Attack[] => {
  const state = () => build().inputs[0]?.coin.token?.nft?.commitment as Uint8Array;
  const leakAt = (index: number) => () => {
    let spend = build();
    while (spend.outputs.length <= index) spend = addOutputs(spend, plain(thief.lock, DUST));
    const lockingBytecode = spend.outputs[index]?.lockingBytecode as Uint8Array;
    const valueSatoshis = spend.outputs[index]?.valueSatoshis ?? DUST;
    return changeOutput(
      spend,
      index,
      nft(lockingBytecode, Buffer.from(state()).toString('hex'), valueSatoshis > DUST ? valueSatoshis : DUST),
    );
  };
  const free = [0, 1, 2, 3, 4].filter((index) => build().outputs[index]?.token === undefined);
  return [
    ...free.map((index) => ({
      attack: 'leak' as const,
      name: `the thread leaves at output ${index}`,
      build: leakAt(index),
      // A push pins output 0 whole: it is the payout.
      refusedBy:
        index === 0 && callAt(build()).call === 'push'
          ? 'the payout carries no token'
          : `output ${index} has no thread`,
    })),
    {
      attack: 'leak',
      name: 'the thread leaves at output 5',
      build: leakAt(5),
      refusedBy: 'at most 5 outputs',
    },
    {
      attack: 'leak',
      name: 'the thread stays at the covenant after the end',
      build: () => {
        const spend = build();
        const { lock } = callAt(spend).contract;
        return addOutputs(spend, nft(lock, Buffer.from(state()).toString('hex'), DUST));
      },
      refusedBy: `output ${build().outputs.length} has no thread`,
    },
  ];
};

/** A coin in front of the covenant's, alike but for its category, so that its own checks pass. */
const forgedInFront = (spend: Spend): Spend => {
  const [thread] = spend.inputs;
  const token = thread?.coin.token;
  if (thread === undefined || token === undefined) throw new Error('no thread');
  const forged = {
    ...thread,
    vout: 7,
    coin: { ...thread.coin, token: { ...token, category: hexToBin(OTHER) } },
  };
  const outputs = spend.outputs.map((output, index) =>
    index === 0 && output.token !== undefined && binToHex(output.token.category) === THREAD
      ? { ...output, token: { ...output.token, category: hexToBin(OTHER) } }
      : output,
  );
  return addOutputs(
    { ...spend, inputs: [forged, ...spend.inputs], outputs },
    nft(thief.lock, '00', DUST, THREAD),
  );
};

export const placeAttacks = ({ build }: Move): Attack[] => [
  {
    attack: 'forged',
    name: 'a forged coin of the same address stands at input 0, the thread at input 1',
    build: () => forgedInFront(build()),
    refusedBy: 'the thread is input 0',
    input: 1,
  },
  {
    attack: 'forged',
    name: "a person's coin stands at input 0, the thread at input 1",
    build: () => addInputs(build(), [owned('first', thief)], 0),
    refusedBy: 'the thread is input 0',
    input: 1,
  },
  {
    attack: 'two-threads',
    name: 'a sibling thread of the same category stands at input 1',
    build: () => {
      const [thread] = build({ sibling: true }).inputs;
      if (thread === undefined) throw new Error('no thread');
      return addInputs(build(), [{ ...thread, vout: 8 }], 1);
    },
    refusedBy: 'the thread is input 0',
    input: 1,
  },
];
