/** A spend as plain data, every part of which an attack can change, and the raw transaction it gives. */
import { decodeAuthenticationInstructions, hexToBin, type Output, type Transaction } from '@bitauth/libauth';
import { SignatureTemplate } from 'cashscript';
import type { Argument, Bound } from './bound.js';
import type { Party } from './parties.js';

export type { Output } from '@bitauth/libauth';

/** How an input is unlocked: by a contract's function, or by a key's signature over everything. */
export type Unlock =
  | { readonly contract: Bound; readonly call: string; readonly args: readonly Argument[] }
  | { readonly key: Party };

export type Input = {
  /** 64 hex digits. */
  readonly txid: string;
  readonly vout: number;
  readonly coin: Output;
  readonly unlock: Unlock;
  readonly sequence: number;
};

export type Spend = {
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly locktime: number;
  /** Median time past of the chain at which it is tried, unix seconds. */
  readonly chainTime: number;
};

/** Not final, so that the locktime is in force. */
export const IN_FORCE = 0xfffffffe;
export const FINAL = 0xffffffff;

/** A transaction and the outputs it spends. */
export type Built = { readonly transaction: Transaction; readonly sourceOutputs: Output[] };

/** Signs and encodes a spend; `only` some of its inputs, where the others do not matter. */
export const buildTransaction = (
  { inputs, outputs, locktime }: Spend,
  only: readonly number[] = inputs.map((_, index) => index),
): Built => {
  const sourceOutputs = inputs.map(({ coin }) => coin);
  const transaction: Transaction = {
    version: 2,
    locktime,
    inputs: inputs.map(({ txid, vout, sequence }) => ({
      outpointTransactionHash: hexToBin(txid),
      outpointIndex: vout,
      sequenceNumber: sequence,
      unlockingBytecode: new Uint8Array(),
    })),
    outputs: [...outputs],
  };
  const unlockings = inputs.map(({ unlock }, inputIndex) => {
    if (!only.includes(inputIndex)) return new Uint8Array();
    const unlocker =
      'key' in unlock
        ? new SignatureTemplate(unlock.key.privateKey).unlockP2PKH()
        : unlock.contract.unlocker(unlock.call, unlock.args);
    return unlocker.generateUnlockingBytecode({ transaction, sourceOutputs, inputIndex });
  });
  transaction.inputs.forEach((input, index) => {
    input.unlockingBytecode = unlockings[index] ?? new Uint8Array();
  });
  return { transaction, sourceOutputs };
};

/** The call at an input of a spend. */
export const callAt = (spend: Spend, index = 0): Extract<Unlock, { call: string }> => {
  const unlock = spend.inputs[index]?.unlock;
  if (unlock === undefined || 'key' in unlock) throw new Error(`input ${index} calls no contract`);
  return unlock;
};

/** Argument `index` of the call at input 0, as it stands in the signed transaction. */
export const signedArgument = (spend: Spend, index: number): Uint8Array => {
  const unlocking = buildTransaction(spend).transaction.inputs[0]?.unlockingBytecode ?? new Uint8Array();
  const pushes = decodeAuthenticationInstructions(unlocking);
  // Arguments are pushed last first, so that the first lies on top.
  const push = pushes[callAt(spend).args.length - 1 - index];
  if (push === undefined || !('data' in push)) throw new Error(`argument ${index} is no push`);
  return push.data;
};

/** The spend with another input in an input's place. */
export const changeInput = (spend: Spend, index: number, change: Partial<Input>): Spend => ({
  ...spend,
  inputs: spend.inputs.map((input, at) => (at === index ? { ...input, ...change } : input)),
});

/** The spend with another argument in the call at input 0. */
export const changeArgument = (spend: Spend, index: number, argument: Argument): Spend => {
  const unlock = callAt(spend);
  const args = unlock.args.map((before, at) => (at === index ? argument : before));
  return changeInput(spend, 0, { unlock: { ...unlock, args } });
};

/** The spend with parts of an output changed. */
export const changeOutput = (spend: Spend, index: number, change: Partial<Output>): Spend => ({
  ...spend,
  outputs: spend.outputs.map((output, at) => (at === index ? { ...output, ...change } : output)),
});

/** The spend with more inputs (`at` an index, else last) or outputs. */
export const addInputs = (spend: Spend, inputs: readonly Input[], at = spend.inputs.length): Spend => ({
  ...spend,
  inputs: [...spend.inputs.slice(0, at), ...inputs, ...spend.inputs.slice(at)],
});
export const addOutputs = (spend: Spend, ...outputs: readonly Output[]): Spend => ({
  ...spend,
  outputs: [...spend.outputs, ...outputs],
});

/** The spend of a coin at the covenant that carries no thread. */
export const withoutThread = (spend: Spend): Spend => {
  const coin = spend.inputs[0]?.coin;
  if (coin === undefined) throw new Error('no thread');
  const { lockingBytecode, valueSatoshis } = coin;
  return changeInput(spend, 0, { coin: { lockingBytecode, valueSatoshis } });
};
