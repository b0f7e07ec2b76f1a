/**
 * Recognising a contract from what a transaction shows of it: the redeem script of an input, or the parameters that came
 * along for an output. Nothing is believed: the locking bytecode is built anew from the artifact and the parameters, and
 * has to be the one that stands there.
 */
import { hexToBin, type AuthenticationInstruction } from '@bitauth/libauth';
import type { Artifact } from 'cashscript';
import type { ContractTerms } from '../bch/fields.js';
import { pushesOf, readInstructions } from '../bch/instructions.js';
import type { Network } from '../bch/network.js';
import { ARTIFACT_NAMES, artifactOf, loadArtifact, versionsOf, type ArtifactName } from './artifact.js';
import { calledFunction, pushedNumber } from './called-function.js';
import { bindContract, type CovenantContract } from './covenant-contract.js';

/** A contract that was recognised. */
export type Recognised = {
  readonly name: ArtifactName;
  /** `Stream`. */
  readonly contractName: string;
  readonly fingerprint: string;
  /** Parameters by name: hex for bytes, decimal for integers. */
  readonly params: Readonly<Record<string, string>>;
  /** Hex. */
  readonly lockingBytecode: string;
};

type Inputs = Artifact['constructorInputs'];

const recognised = (bound: CovenantContract, artifact: Artifact): Recognised => ({
  name: bound.name,
  contractName: artifact.contractName,
  fingerprint: bound.fingerprint,
  params: Object.fromEntries(
    artifact.constructorInputs.map(({ name }, index) => [name, bound.constructorParams[index] ?? '']),
  ),
  lockingBytecode: bound.lockingBytecode,
});

const sizeOf = (type: string): number | null => {
  if (type === 'pubkey') return 33;
  const digits = /^bytes(\d+)$/.exec(type)?.[1];
  return digits === undefined ? null : Number(digits);
};

/** A parameter as the redeem script pushes it; null when it cannot be one of that type. */
const readPush = (instruction: AuthenticationInstruction, type: string): Uint8Array | bigint | null => {
  if (type === 'int') return pushedNumber(instruction);
  if (!('data' in instruction)) return null;
  const size = sizeOf(type);
  return size === null || size === instruction.data.length ? instruction.data : null;
};

/** The parameters that a redeem script begins with, in constructor order; null when it begins otherwise. */
const readParameters = (
  script: readonly AuthenticationInstruction[],
  inputs: Inputs,
): (Uint8Array | bigint)[] | null => {
  const values = inputs.map(({ type }, index) => {
    const instruction = script[inputs.length - 1 - index];
    return instruction === undefined ? null : readPush(instruction, type);
  });
  return values.some((value) => value === null) ? null : (values as (Uint8Array | bigint)[]);
};

/** The contract of one version with these parameters, when it has this locking bytecode. */
const bindAs = (
  version: { readonly name: ArtifactName; readonly pinned: string },
  args: (artifact: Artifact) => readonly (Uint8Array | bigint)[] | null,
  lockingBytecode: string | null,
  network: Network,
): Recognised | null => {
  try {
    const artifact = loadArtifact(version.name, version.pinned);
    const values = args(artifact);
    if (values === null) return null;
    const bound = bindContract(version, values, network);
    const isIt = lockingBytecode === null || bound.lockingBytecode === lockingBytecode;
    return isIt ? recognised(bound, artifact) : null;
  } catch {
    // A version that is not ours, or parameters that it does not take: not this one.
    return null;
  }
};

/** The last push of an input: the script whose hash its coin is locked with, where it is one. */
const redeemScriptOf = (unlockingBytecode: string): Uint8Array | null =>
  pushesOf(hexToBin(unlockingBytecode)).at(-1) ?? null;

/**
 * The contract that guards a coin, from what unlocks it (hex both). Null: none of this program's, or there is no redeem
 * script yet.
 *
 * @example
 * recogniseInput(alice.address.lockingBytecode, '', 'local'); // null
 */
export const recogniseInput = (
  lockingBytecode: string,
  unlockingBytecode: string,
  network: Network,
): Recognised | null => {
  const redeemScript = redeemScriptOf(unlockingBytecode);
  const script = redeemScript === null ? null : readInstructions(redeemScript);
  if (script === null) return null;
  for (const name of ARTIFACT_NAMES)
    for (const pinned of versionsOf(name)) {
      const args = ({ constructorInputs }: Artifact) => readParameters(script, constructorInputs);
      const found = bindAs({ name, pinned }, args, lockingBytecode, network);
      if (found !== null) return found;
    }
  return null;
};

/**
 * The contract that terms give; null when there is no such contract, or it does not take them.
 *
 * @example
 * recogniseTerms(termsOf(contract), 'local').lockingBytecode === contract.lockingBytecode; // true
 * recogniseTerms({ ...termsOf(contract), constructorParams: ['1'] }, 'local'); // null
 */
export const recogniseTerms = (terms: ContractTerms, network: Network): Recognised | null => {
  const name = artifactOf(terms.contract);
  if (name === undefined) return null;
  const args = ({ constructorInputs }: Artifact) =>
    constructorInputs.length === terms.constructorParams.length
      ? constructorInputs.map(({ type }, index) => {
          const text = terms.constructorParams[index] ?? '';
          return type === 'int' ? BigInt(text) : hexToBin(text);
        })
      : null;
  return bindAs({ name, pinned: terms.fingerprint }, args, null, network);
};

/** An argument of a call: its name, and what stands in its place. */
export type CallArgument = { readonly name: string; readonly type: string; readonly value: Uint8Array };

/**
 * The function that an input calls of a recognised contract, with its arguments in their order; null when it calls none.
 *
 * @example
 * readCall(contract, ''); // null
 */
export const readCall = (
  { name, fingerprint }: Pick<Recognised, 'name' | 'fingerprint'>,
  unlockingBytecode: string,
): { readonly name: string; readonly args: readonly CallArgument[] } | null => {
  const { abi } = loadArtifact(name, fingerprint);
  const called =
    abi.length === 1 ? abi[0]?.name : calledFunction({ name, pinned: fingerprint }, unlockingBytecode);
  const inputs = abi.find((one) => one.name === called)?.inputs;
  if (called === undefined || called === null || inputs === undefined) return null;
  const pushed = readInstructions(hexToBin(unlockingBytecode)) ?? [];
  const valueAt = (index: number): Uint8Array => {
    const instruction = pushed[inputs.length - 1 - index];
    return instruction !== undefined && 'data' in instruction ? instruction.data : new Uint8Array();
  };
  return { name: called, args: inputs.map((input, index) => ({ ...input, value: valueAt(index) })) };
};

/**
 * How a document names a contract that is bound.
 *
 * @example
 * termsOf(contract).contract; // 'RecurringPayment'
 */
export const termsOf = ({
  name,
  fingerprint,
  constructorParams,
}: Pick<CovenantContract, 'name' | 'fingerprint' | 'constructorParams'>): ContractTerms => ({
  contract: loadArtifact(name, fingerprint).contractName,
  fingerprint,
  constructorParams: [...constructorParams],
});
