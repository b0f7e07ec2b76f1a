/** Mutations of outputs: their values, places, tokens and states. */
import { binToHex, hexToBin, type Output } from '@bitauth/libauth';
import { nft, owned, plain } from '../harness/coins.js';
import type { Spend } from '../harness/spend.js';
import { insertAt, replaceAt, swap, type Mutation } from './mutation.js';
import type { Random } from './random.js';

const someOutput = (
  spend: Spend,
  random: Random,
  change: (output: Output, index: number) => Output,
): Spend => {
  if (spend.outputs.length === 0) return spend;
  const index = random.integer(spend.outputs.length);
  return {
    ...spend,
    outputs: replaceAt(spend.outputs, index, change(spend.outputs[index] as Output, index)),
  };
};

export const outputValue: Mutation = (spend, base, random) =>
  someOutput(spend, random, (output) => {
    const by = random.once(2) ? 1n : random.amount(random.pick(base.amounts));
    const value = random.once(2) ? output.valueSatoshis + by : output.valueSatoshis - by;
    return { ...output, valueSatoshis: value < 546n ? 1_000n : value };
  });

export const outputLock: Mutation = (spend, { locks }, random) =>
  someOutput(spend, random, (output) => ({ ...output, lockingBytecode: random.pick(locks) }));

export const tokenAmount: Mutation = (spend, base, random) =>
  someOutput(spend, random, (output) => {
    if (output.token === undefined) return output;
    const by = random.once(2) ? 1n : random.amount(random.pick(base.amounts));
    const amount = random.once(2) ? output.token.amount + by : output.token.amount - by;
    const isGone = amount <= 0n && output.token.nft === undefined;
    return { ...output, token: { ...output.token, amount: isGone ? 1n : amount < 0n ? 0n : amount } };
  });

export const tokenCategory: Mutation = (spend, { categories }, random) =>
  someOutput(spend, random, (output) =>
    output.token === undefined
      ? output
      : { ...output, token: { ...output.token, category: hexToBin(random.pick(categories)) } },
  );

/**
 * Glues an NFT to an output, of the token that it holds or of any other, and brings the coin that it comes from. Nothing
 * mints the thread's own category: its genesis is audited.
 */
export const glue: Mutation = (spend, { attacker, categories, commitments }, random) => {
  const [thread, ...others] = categories;
  const other = random.pick(others);
  let category = other;
  const glued = someOutput(spend, random, (output) => {
    const held = output.token === undefined ? other : binToHex(output.token.category);
    if (held === thread) return output;
    category = held;
    const commitment = random.once(2) ? random.pick(commitments) : hexToBin('0100000000');
    const nft = { capability: random.pick(['none', 'mutable', 'minting'] as const), commitment };
    return { ...output, token: { category: hexToBin(category), amount: output.token?.amount ?? 0n, nft } };
  });
  const source = owned(`minting ${category}`, attacker, nft(attacker.lock, '', 1_000n, category, 'minting'));
  return { ...glued, inputs: [...glued.inputs, source] };
};

export const capability: Mutation = (spend, _, random) =>
  someOutput(spend, random, (output) =>
    output.token?.nft === undefined
      ? output
      : {
          ...output,
          token: {
            ...output.token,
            nft: { ...output.token.nft, capability: random.pick(['none', 'mutable', 'minting'] as const) },
          },
        },
  );

export const dropToken: Mutation = (spend, _, random) =>
  someOutput(spend, random, ({ lockingBytecode, valueSatoshis }) => plain(lockingBytecode, valueSatoshis));

const withCommitment = (output: Output, change: (state: Uint8Array) => Uint8Array): Output =>
  output.token?.nft === undefined
    ? output
    : {
        ...output,
        token: {
          ...output.token,
          nft: { ...output.token.nft, commitment: change(output.token.nft.commitment) },
        },
      };

export const commitmentByte: Mutation = (spend, _, random) =>
  someOutput(spend, random, (output) =>
    withCommitment(output, (state) => {
      const at = random.integer(state.length + 1);
      const kind = random.integer(4);
      if (kind === 0)
        return Uint8Array.from([...state.slice(0, at), random.integer(256), ...state.slice(at)]);
      if (kind === 1) return Uint8Array.from([...state.slice(0, at), ...state.slice(at + 1)]);
      return state.map((byte, index) => (index === at ? byte ^ (1 << random.integer(8)) : byte));
    }),
  );

export const commitmentField: Mutation = (spend, base, random) =>
  someOutput(spend, random, (output) =>
    withCommitment(output, (state) => {
      const number = random.integer(Math.max(base.fields.length, 1));
      const from = base.fields.slice(0, number).reduce((a, b) => a + b, 0);
      const size = base.fields[number] ?? 0;
      const old = state.slice(from, from + size);
      const value = random.pick([
        ...base.amounts,
        ...base.times.map(BigInt),
        0n,
        1n,
        old.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) + BigInt(random.integer(5) - 2),
      ]);
      const donor = random.pick(base.commitments).slice(from, from + size);
      const field = random.once(3)
        ? donor
        : old.map((_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
      return Uint8Array.from([...state.slice(0, from), ...field, ...state.slice(from + size)]);
    }),
  );

export const otherCommitment: Mutation = (spend, { commitments }, random) =>
  someOutput(spend, random, (output) => withCommitment(output, () => random.pick(commitments)));

export const removeOutput: Mutation = (spend, _, random) => {
  const index = random.integer(spend.outputs.length);
  return { ...spend, outputs: spend.outputs.filter((_output, at) => at !== index) };
};
export const repeatOutput: Mutation = (spend, _, random) => {
  const output = random.pick(spend.outputs);
  return { ...spend, outputs: insertAt(spend.outputs, random.integer(spend.outputs.length + 1), output) };
};
export const swapOutputs: Mutation = (spend, _, random) => ({
  ...spend,
  outputs: swap(spend.outputs, random.integer(spend.outputs.length), random.integer(spend.outputs.length)),
});
export const addOutput: Mutation = (spend, { outputs }, random) => ({
  ...spend,
  outputs: insertAt(spend.outputs, random.integer(spend.outputs.length + 1), random.pick(outputs)),
});

/** Outputs enough to hide something behind them. */
export const leak: Mutation = (spend, { outputs, attacker }, random) => {
  const padding = Array.from({ length: random.integer(6) }, () => plain(attacker.lock, 1_000n));
  return { ...spend, outputs: [...spend.outputs, ...padding, random.pick(outputs)] };
};

/** An output in two: what it keeps, and `amount` of it for somebody. Null: it has not so much. */
const split = (output: Output, amount: bigint, lock: Uint8Array): readonly [Output | null, Output] | null => {
  const { token, valueSatoshis } = output;
  if (token === undefined || token.amount === 0n) {
    if (amount > valueSatoshis - 1_000n) return null;
    return [{ ...output, valueSatoshis: valueSatoshis - amount }, plain(lock, amount < 546n ? 546n : amount)];
  }
  if (amount > token.amount) return null;
  const isAll = amount === token.amount && token.nft === undefined;
  const { category } = token;
  return [
    isAll ? null : { ...output, token: { ...token, amount: token.amount - amount } },
    { lockingBytecode: lock, valueSatoshis, token: { category, amount } },
  ];
};

/** Takes from what an output keeps and gives it to somebody. */
export const steal: Mutation = (spend, base, random) => {
  const index = random.integer(spend.outputs.length);
  const output = spend.outputs[index];
  if (output === undefined) return spend;
  const held = output.token?.amount ?? 0n;
  const amount = random.once(2)
    ? random.pick(base.amounts)
    : random.amount(held > 0n ? held : output.valueSatoshis - 1_000n);
  const parts = amount > 0n ? split(output, amount, random.pick(base.locks)) : null;
  if (parts === null) return spend;
  const [kept, taken] = parts;
  const outputs = spend.outputs.flatMap((before, at) =>
    at !== index ? [before] : kept === null ? [] : [kept],
  );
  return { ...spend, outputs: [...outputs, taken] };
};
