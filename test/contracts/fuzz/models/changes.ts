/** Mutations that only a comparison can use: what is spent changes too, and nothing has to add up. */
import { hexToBin, type Output } from '@bitauth/libauth';
import { nft, OTHER, owned, plain } from '../../harness/coins.js';
import type { Input, Spend } from '../../harness/spend.js';
import type { Base } from '../base.js';
import { insertAt, replaceAt, type Mutation } from '../mutation.js';
import type { Random } from '../random.js';

const withCoin = (spend: Spend, index: number, change: (coin: Output) => Output): Spend => {
  const input = spend.inputs[index];
  if (input === undefined) return spend;
  return { ...spend, inputs: replaceAt(spend.inputs, index, { ...input, coin: change(input.coin) }) };
};

const near = (value: bigint, random: Random, base: Base): bigint => {
  const by = random.once(2) ? 1n : random.amount(random.pick(base.amounts));
  const moved = random.once(2) ? value + by : value - by;
  return moved < 0n ? 0n : moved;
};

const inputValue: Mutation = (spend, base, random) =>
  withCoin(spend, random.once(2) ? 0 : random.integer(spend.inputs.length), (coin) => ({
    ...coin,
    valueSatoshis: near(coin.valueSatoshis, random, base),
  }));

/** The thread's coin and what goes on of it, both worth more or less by as much. */
const bothValues: Mutation = (spend, base, random) => {
  const [thread] = spend.inputs;
  const [first] = spend.outputs;
  if (thread === undefined || first === undefined) return spend;
  const by = near(thread.coin.valueSatoshis, random, base) - thread.coin.valueSatoshis;
  const after = first.valueSatoshis + by;
  if (after < 0n) return spend;
  return {
    ...withCoin(spend, 0, (coin) => ({ ...coin, valueSatoshis: coin.valueSatoshis + by })),
    outputs: replaceAt(spend.outputs, 0, { ...first, valueSatoshis: after }),
  };
};

/** How many outputs a contract looks at by their place. */
const PLACES = 3;

/** An output of any value, small ones most of all. */
const anyValue: Mutation = (spend, base, random) => {
  const index = random.integer(Math.min(spend.outputs.length, PLACES));
  const output = spend.outputs[index];
  if (output === undefined) return spend;
  const valueSatoshis = random.pick([1n, 999n, 999n, 1_000n, near(output.valueSatoshis, random, base)]);
  return { ...spend, outputs: replaceAt(spend.outputs, index, { ...output, valueSatoshis }) };
};

type Change = (state: Uint8Array) => Uint8Array;

const changeState = (output: Output, change: Change): Output =>
  output.token?.nft === undefined
    ? output
    : {
        ...output,
        token: {
          ...output.token,
          nft: { ...output.token.nft, commitment: change(output.token.nft.commitment) },
        },
      };

/** One field of a state, another value in its place. The top bit stays clear, as in every state that is audited (rule 12). */
const otherField = (base: Base, random: Random): Change => {
  const number = random.integer(base.fields.length);
  const from = base.fields.slice(0, number).reduce((a, b) => a + b, 0);
  const size = base.fields[number] ?? 0;
  const value = random.pick([0n, 1n, 2n, ...base.amounts, ...base.times.map(BigInt)]);
  const isNear = random.once(2);
  const by = random.pick([-1, 1, 2]);
  return (state) => {
    const old = state.slice(from, from + size).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
    const moved = isNear ? old + BigInt(by) : value;
    const bounded = moved < 0n ? 0n : moved;
    const field = Array.from({ length: size }, (_, index) =>
      Number((bounded >> BigInt(8 * index)) & (index === size - 1 ? 0x7fn : 0xffn)),
    );
    return Uint8Array.from([...state.slice(0, from), ...field, ...state.slice(from + size)]);
  };
};

/** The state that is spent is another one. */
const stateBefore: Mutation = (spend, base, random) => {
  const change = otherField(base, random);
  return withCoin(spend, 0, (coin) => changeState(coin, change));
};

/** The state that is spent and the one that goes on are others, in the same field. */
const bothStates: Mutation = (spend, base, random) => {
  const change = otherField(base, random);
  const changed = withCoin(spend, 0, (coin) => changeState(coin, change));
  const [first] = spend.outputs;
  if (first === undefined) return changed;
  return { ...changed, outputs: replaceAt(changed.outputs, 0, changeState(first, change)) };
};

/** A flag is taken away, or given, before and after. */
const flags: Mutation = (spend, _, random) => {
  const bit = 1 << random.integer(3);
  const change: Change = (state) =>
    state.map((byte, index) => (index === state.length - 1 ? byte ^ bit : byte));
  const changed = withCoin(spend, 0, (coin) => changeState(coin, change));
  const [first] = changed.outputs;
  if (first === undefined) return changed;
  return { ...changed, outputs: replaceAt(changed.outputs, 0, changeState(first, change)) };
};

/** A coin of somebody: of a person, of a script, with an NFT. */
const strangeCoin = ({ attacker, categories }: Base, random: Random): Input => {
  const script = Uint8Array.from([...hexToBin('aa20'), ...new Uint8Array(32).fill(7), 0x87]);
  const lock = random.pick([attacker.lock, attacker.lock, script, attacker.lock.slice(1)]);
  const coin = random.once(3) ? nft(lock, '', 1_000n, random.pick(categories), 'none') : plain(lock, 9_000n);
  return owned(`strange ${random.integer(1_000)}`, attacker, coin);
};

const strangeInput: Mutation = (spend, base, random) => ({
  ...spend,
  inputs: random.once(2)
    ? [...spend.inputs, strangeCoin(base, random)]
    : insertAt(spend.inputs, random.integer(spend.inputs.length + 1), strangeCoin(base, random)),
});

/** So many inputs or outputs as a bound allows, or one more. */
const padOutputs: Mutation = (spend, { attacker }, random) => {
  const count = Math.max(3 + random.integer(4) - spend.outputs.length, 0);
  return {
    ...spend,
    outputs: [...spend.outputs, ...Array.from({ length: count }, () => plain(attacker.lock, 1_000n))],
  };
};

const padInputs: Mutation = (spend, { attacker }, random) => {
  const count = Math.max(2 + random.integer(4) - spend.inputs.length, 0);
  const more = Array.from({ length: count }, (_, index) =>
    owned(`more ${index}`, attacker, plain(attacker.lock, 9_000n)),
  );
  return { ...spend, inputs: [...spend.inputs, ...more] };
};

/** An NFT beside whatever an output holds, of the category that it holds or of any. */
const glueAny: Mutation = (spend, { categories, commitments }, random) => {
  const index = random.integer(Math.min(spend.outputs.length, PLACES));
  const output = spend.outputs[index];
  if (output === undefined) return spend;
  const category = output.token?.category ?? hexToBin(random.pick(categories));
  const commitment = random.pick([new Uint8Array(), Uint8Array.of(1), random.pick(commitments)]);
  const capability = random.pick(['none', 'none', 'mutable', 'minting'] as const);
  const token = { category, amount: output.token?.amount ?? 0n, nft: { capability, commitment } };
  return { ...spend, outputs: replaceAt(spend.outputs, index, { ...output, token }) };
};

/** Tokens on an output, or others in the place of those that it holds. */
const otherTokens: Mutation = (spend, { categories, amounts }, random) => {
  const index = random.integer(Math.min(spend.outputs.length, PLACES));
  const output = spend.outputs[index];
  if (output === undefined) return spend;
  const amount = output.token?.amount ?? random.pick(amounts);
  const token = { ...output.token, category: hexToBin(random.pick(categories)), amount };
  return { ...spend, outputs: replaceAt(spend.outputs, index, { ...output, token }) };
};

/** An output that is worth more. */
const enrich: Mutation = (spend, _, random) => {
  const index = random.integer(spend.outputs.length);
  return {
    ...spend,
    outputs: spend.outputs.map((output, at) =>
      at === index ? { ...output, valueSatoshis: output.valueSatoshis + 1_000n } : output,
    ),
  };
};

const PROBES: readonly (readonly [string, (output: Output) => Output])[] = [
  ['too light', (output) => ({ ...output, valueSatoshis: 999n })],
  [
    'of another token',
    (output) => {
      const token = { amount: 1n, ...output.token, category: hexToBin(OTHER) };
      return { ...output, token };
    },
  ],
  [
    'with an NFT',
    (output) => {
      const { category = hexToBin(OTHER), amount = 0n } = output.token ?? {};
      const carried = { capability: 'none', commitment: Uint8Array.of(1) } as const;
      return { ...output, token: { category, amount, nft: carried } };
    },
  ],
];

/** What is tried of every spend that the rules allow, at each place: chance meets it too seldom. */
export const probesOf = (spend: Spend): { readonly name: string; readonly spend: Spend }[] =>
  spend.outputs.slice(0, PLACES).flatMap((output, index) =>
    PROBES.map(([name, change]) => ({
      name: `output ${index} ${name}`,
      spend: { ...spend, outputs: replaceAt(spend.outputs, index, change(output)) },
    })),
  );

/** Mutations by name, beside those of the fuzzer. */
export const CHANGES: readonly (readonly [string, Mutation])[] = [
  ['input value', inputValue],
  ['both values', bothValues],
  ['any value', anyValue],
  ['any value', anyValue],
  ['any value', anyValue],
  ['state before', stateBefore],
  ['state before', stateBefore],
  ['both states', bothStates],
  ['both states', bothStates],
  ['flags', flags],
  ['strange input', strangeInput],
  ['strange input', strangeInput],
  ['pad outputs', padOutputs],
  ['pad inputs', padInputs],
  ['enrich', enrich],
  ['glue any', glueAny],
  ['glue any', glueAny],
  ['glue any', glueAny],
  ['other tokens', otherTokens],
  ['other tokens', otherTokens],
];
