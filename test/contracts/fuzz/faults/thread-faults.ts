/** What can be wrong with the thread alone: where it goes, what it carries, how much lies beside it, whether it ends. */
import { hexToBin } from '@bitauth/libauth';
import { DUST, nft, OTHER, owned, plain } from '../../harness/coins.js';
import { outsider, recipient } from '../../harness/parties.js';
import { changeOutput, type Output, type Spend } from '../../harness/spend.js';
import type { Attempt } from '../../invariants/covenant.js';
import type { Random } from '../random.js';
import { fit, TOKEN_RULES, type Fault } from './fault.js';
import { CATEGORY, reserveAt, thief, type Legit, type Scene } from './scene.js';

type Token = NonNullable<Output['token']>;

const stateOf = (output: Output | undefined): Uint8Array =>
  output?.token?.nft?.commitment ?? new Uint8Array();

/** Lengths of the fields of a state. */
export const FIELDS = {
  'reward-campaign': [1, 8, 4],
  'budget-plan': [1, 1, 5, 5, 20, 1],
  stream: [1, 8, 5, 5, 20, 1],
  'recurring-payment': [1, 5, 4, 8, 20, 1],
} as const;

/** A state with one field counted up or down, or with another bit in it. */
const shiftField = (
  state: Uint8Array,
  [from, size]: readonly [number, number],
  random: Random,
): Uint8Array => {
  const field = state.slice(from, from + size);
  const number = field.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const by = BigInt(random.pick([-1, 1, 1 + random.integer(100_000)]));
  const shifted = BigInt.asUintN(8 * size, number + by);
  const isFlipped = size === 20 || shifted === number;
  const changed = isFlipped
    ? field.map((byte, index) => (index === 0 ? byte ^ (1 << random.integer(8)) : byte))
    : field.map((_, index) => Number((shifted >> BigInt(8 * index)) & 0xffn));
  return Uint8Array.from([...state.slice(0, from), ...changed, ...state.slice(from + size)]);
};

const stateFaults = <Terms, State>(
  { product, covenant }: Scene<Terms, State>,
  { spend }: Legit<State>,
  random: Random,
): Fault[] => {
  const token = spend.outputs[0]?.token as Token;
  const state = stateOf(spend.outputs[0]);
  const fields = FIELDS[product];
  const before = stateOf(spend.inputs[0]?.coin);
  const changed: [string, Uint8Array][] = [
    ...fields.map((size, index): (typeof changed)[number] => {
      const from = fields.slice(0, index).reduce<number>((a, b) => a + b, 0);
      return [`field ${index} of the new state is another`, shiftField(state, [from, size], random)];
    }),
    ['the new state is longer', Uint8Array.from([...state, 0])],
    ['the new state is shorter', state.slice(0, -1)],
    ['there is no new state', new Uint8Array()],
    ['the state is the old one', before],
    ['the state is the first one', hexToBin(covenant.encode(covenant.first))],
  ];
  return changed
    .filter(([, commitment]) => Buffer.compare(commitment, state) !== 0)
    .map(([name, commitment]) => ({
      name,
      invariant: 'I3',
      refusedBy: 'output 0 carries the new state',
      spend: changeOutput(spend, 0, { token: { ...token, nft: { capability: 'mutable', commitment } } }),
    }));
};

const placeFaults = <Terms, State>(
  { covenant, sibling }: Scene<Terms, State>,
  { spend }: Legit<State>,
): Fault[] => {
  const thread = spend.outputs[0] as Output;
  const locks: [string, Uint8Array][] = [
    ['to a thief', thief.lock],
    ['to the recipient', recipient.lock],
    ['to its sibling', sibling.contract.lock],
    ['to the reserve', reserveAt(covenant).lock],
  ];
  const without = {
    ...spend,
    outputs: [plain(thread.lockingBytecode, thread.valueSatoshis), ...spend.outputs.slice(1)],
  };
  const taken = { ...thread, lockingBytecode: thief.lock, valueSatoshis: DUST };
  return [
    ...locks.map(([where, lockingBytecode]): Fault => ({
      name: `the thread goes ${where}`,
      invariant: 'I4',
      refusedBy: 'output 0 stays at the covenant',
      spend: changeOutput(spend, 0, { lockingBytecode }),
    })),
    {
      name: 'the thread goes to a thief from behind, the money stays',
      invariant: 'I4',
      refusedBy: 'output 0 carries the thread',
      spend: fit({ ...without, outputs: [...without.outputs, taken] }, thief),
    },
    {
      name: 'the thread is dropped',
      invariant: 'I4',
      refusedBy: 'output 0 carries the thread',
      spend: without,
    },
  ];
};

/** An NFT of another category, for whoever wants one at output 0. */
const forgedFrom = (spend: Spend): Spend => {
  const thread = spend.outputs[0] as Output;
  const token = { ...(thread.token as Token), category: hexToBin(OTHER) };
  const forged = nft(thief.lock, '', DUST, OTHER);
  const inputs = [...spend.inputs, owned('forged', thief, forged)];
  return fit({ ...changeOutput(spend, 0, { token }), inputs }, thief);
};

const tokenFaults = <Terms, State>(_: Scene<Terms, State>, { spend, attempt }: Legit<State>): Fault[] => {
  const thread = spend.outputs[0] as Output;
  const token = thread.token as Token;
  const commitment = stateOf(thread);
  const as = (capability: 'none' | 'minting'): Spend =>
    changeOutput(spend, 0, { token: { ...token, nft: { capability, commitment } } });
  const carriesThread = { invariant: 'I4', refusedBy: 'output 0 carries the thread' } as const;
  const second = { ...thread, valueSatoshis: DUST };
  const twoOf = (capability: 'none' | 'mutable', lockingBytecode: Uint8Array): Spend =>
    fit(
      {
        ...spend,
        outputs: [
          ...spend.outputs,
          { ...second, lockingBytecode, token: { ...token, nft: { capability, commitment } } },
        ],
      },
      thief,
    );
  return [
    { name: 'the thread cannot change any more', ...carriesThread, spend: as('none') },
    { name: 'the thread can mint', ...carriesThread, spend: as('minting') },
    // A move that pays nothing takes no NFT in, nor does a push, so there another rule would refuse first.
    ...(attempt.opens && attempt.isPush !== true
      ? [{ name: 'the thread is of another category', ...carriesThread, spend: forgedFrom(spend) }]
      : []),
    ...([thief.lock, thread.lockingBytecode] as const).map((lock): Fault => ({
      name: 'a second thread comes out',
      invariant: 'I4',
      refusedBy: TOKEN_RULES,
      spend: twoOf('mutable', lock),
    })),
    {
      name: 'a thread that cannot change comes out beside it',
      invariant: 'I4',
      refusedBy: TOKEN_RULES,
      spend: twoOf('none', thief.lock),
    },
  ];
};

/** What refuses when output 0 holds other satoshis; null where that is another rule's business. */
const keepsValue = (
  { covenant: { asset } }: Scene<unknown, unknown>,
  { opens, call }: Attempt<unknown>,
): string | null => {
  if (!opens) return 'output 0 keeps the value';
  if (asset === 'tokens') return 'output 0 keeps its satoshis';
  return call === 'refill' ? null : 'output 0 keeps the pool';
};

const valueFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  { spend, attempt }: Legit<State>,
  random: Random,
): Fault[] => {
  const refusedBy = keepsValue(scene as Scene<unknown, unknown>, attempt);
  if (refusedBy === null) return [];
  const { valueSatoshis } = spend.outputs[0] as Output;
  const above = valueSatoshis - DUST;
  const isExact = !attempt.opens || scene.covenant.asset === 'BCH';
  const holds = (value: bigint, name: string): Fault => {
    const taken = valueSatoshis - value;
    const change = changeOutput(spend, 0, { valueSatoshis: value });
    const outputs = taken >= 546n ? [...change.outputs, plain(thief.lock, taken)] : change.outputs;
    return { name, invariant: 'I1', refusedBy, spend: fit({ ...change, outputs }, thief) };
  };
  return [
    holds(valueSatoshis - 1n, 'the thread holds a satoshi less'),
    ...(isExact ? [holds(valueSatoshis + 1n, 'the thread holds a satoshi more')] : []),
    ...(above > 546n
      ? [
          holds(DUST, 'a thief takes all that the thread holds'),
          holds(
            DUST + above - 1n - random.amount(above - 1n),
            'a thief takes a part of what the thread holds',
          ),
        ]
      : []),
  ];
};

/** The thread beside each output of a move that ends it, and behind all of them. */
const endFaults = <Terms, State>(
  { covenant, sibling }: Scene<Terms, State>,
  { spend, attempt }: Legit<State>,
  random: Random,
): Fault[] => {
  const state = Buffer.from(stateOf(spend.inputs[0]?.coin)).toString('hex');
  const threadAt = (lock: Uint8Array): Output => nft(lock, state, DUST, CATEGORY);
  const locks = [thief.lock, covenant.contract.lock, sibling.contract.lock, outsider.lock];
  const padded = (length: number): Output[] => [
    ...spend.outputs,
    ...Array.from({ length: Math.max(length - spend.outputs.length, 0) }, () => plain(thief.lock, DUST)),
  ];
  const leaks = [0, 1, 2, 3, 4].flatMap((at): Fault[] => {
    const outputs = padded(at + 1);
    const replaced = outputs[at] as Output;
    // What lies there and pays somebody stays.
    if (replaced.token !== undefined) return [];
    const thread = threadAt(random.once(2) ? replaced.lockingBytecode : random.pick(locks));
    const isPayout = at === 0;
    const valueSatoshis = isPayout ? replaced.valueSatoshis : DUST;
    const lockingBytecode = isPayout ? replaced.lockingBytecode : thread.lockingBytecode;
    const leaked = { ...thread, lockingBytecode, valueSatoshis: valueSatoshis < DUST ? DUST : valueSatoshis };
    return [
      {
        name: `the thread leaves at output ${at}`,
        invariant: 'I4',
        // What a push pays is pinned to its last token.
        refusedBy:
          isPayout && attempt.isPush === true ? 'the payout carries no token' : `output ${at} has no thread`,
        spend: fit(
          { ...spend, outputs: outputs.map((output, index) => (index === at ? leaked : output)) },
          thief,
        ),
      },
    ];
  });
  const behind = (last: Output): Spend => fit({ ...spend, outputs: [...padded(5), last] }, thief);
  return [
    ...leaks,
    {
      name: 'the thread leaves behind five outputs',
      invariant: 'I4',
      refusedBy: 'at most 5 outputs',
      spend: behind(threadAt(random.pick(locks))),
    },
    {
      name: 'a sixth output',
      invariant: 'I4',
      refusedBy: 'at most 5 outputs',
      spend: behind(plain(thief.lock, DUST)),
    },
  ];
};

/** The thread goes wrong: while it lives, and at its end. */
export const threadFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  legit: Legit<State>,
  random: Random,
): Fault[] =>
  legit.attempt.after === null
    ? endFaults(scene, legit, random)
    : [
        ...stateFaults(scene, legit, random),
        ...placeFaults(scene, legit),
        ...tokenFaults(scene, legit),
        ...valueFaults(scene, legit, random),
      ];
