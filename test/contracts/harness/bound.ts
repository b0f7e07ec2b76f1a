/** Contracts with their parameters bound. A mutant of a contract can stand in its place. */
import { bigIntToVmNumber, hexToBin } from '@bitauth/libauth';
import {
  Contract,
  MockNetworkProvider,
  SignatureAlgorithm,
  SignatureTemplate,
  type Artifact,
  type Unlocker,
} from 'cashscript';
import { loadArtifact, type ArtifactName } from '../../../src/covenant/artifact.js';
import type { Party } from './parties.js';

/** Hash type that covers all inputs, their outputs and all outputs. */
export const ALL_UTXOS = 0x61;
const FORK_ID = 0x40;

/** A signature to be made over the spend that it stands in. */
export type Signing = { readonly sign: Party; readonly hashType?: number; readonly ecdsa?: boolean };
/** An argument as it goes on the stack. */
export type Argument = bigint | Uint8Array | Signing;

export const isSigning = (argument: Argument): argument is Signing =>
  typeof argument === 'object' && 'sign' in argument;

export type Bound = {
  readonly name: ArtifactName;
  readonly artifact: Artifact;
  /** In the constructor's order. */
  readonly params: readonly (Uint8Array | bigint)[];
  readonly lock: Uint8Array;
  readonly address: string;
  readonly redeemScript: Uint8Array;
  readonly unlocker: (functionName: string, args: readonly Argument[]) => Unlocker;
};

const replaced = new Map<ArtifactName, Artifact>();

/** Puts a mutant in a contract's place, or takes it away again. */
export const replaceArtifact = (name: ArtifactName, artifact: Artifact | null): void => {
  if (artifact === null) replaced.delete(name);
  else replaced.set(name, artifact);
  known.clear();
};

/** CashScript checks lengths of arguments before it makes a script; an attacker does not. */
const withFreeArguments = (artifact: Artifact): Artifact => ({
  ...artifact,
  abi: artifact.abi.map(({ name, inputs }) => ({
    name,
    inputs: inputs.map((input) => ({ ...input, type: input.type === 'sig' ? 'sig' : 'bytes' })),
  })),
});

const toTemplate = ({ sign, hashType = ALL_UTXOS, ecdsa = false }: Signing): SignatureTemplate =>
  new SignatureTemplate(
    sign.privateKey,
    // CashScript adds the fork id itself. Its type names fewer hash types than an attacker has.
    hashType & ~FORK_ID,
    ecdsa ? SignatureAlgorithm.ECDSA : SignatureAlgorithm.SCHNORR,
  );

const encodeArgument = (argument: Argument): Uint8Array | SignatureTemplate => {
  if (typeof argument === 'bigint') return bigIntToVmNumber(argument);
  return isSigning(argument) ? toTemplate(argument) : argument;
};

const known = new Map<string, Bound>();
const provider = new MockNetworkProvider({ updateUtxoSet: false });

/** Binds parameters. The order is the constructor's. */
export const bind = (name: ArtifactName, params: readonly (Uint8Array | bigint)[]): Bound => {
  const id = `${name} ${params.map((param) => (typeof param === 'bigint' ? param : Buffer.from(param).toString('hex'))).join()}`;
  const before = known.get(id);
  if (before !== undefined) return before;

  const artifact = replaced.get(name) ?? loadArtifact(name);
  // A version before knows no parameter that was appended since.
  const taken = params.slice(0, artifact.constructorInputs.length);
  const contract = new Contract(withFreeArguments(artifact), taken, {
    provider,
    addressType: 'p2sh32',
  });
  const unlockers = contract.unlock as Record<string, (...args: unknown[]) => Unlocker>;
  const bound: Bound = {
    name,
    artifact,
    params,
    address: contract.address,
    lock: lockOf(contract),
    redeemScript: hexToBin(contract.bytecode),
    unlocker: (functionName, args) => {
      const unlock = unlockers[functionName];
      if (unlock === undefined) throw new Error(`${name} has no function ${functionName}`);
      return unlock(...args.map(encodeArgument));
    },
  };
  known.set(id, bound);
  return bound;
};

const lockOf = (contract: Contract): Uint8Array => {
  const [first] = Object.values(contract.unlock as Record<string, (...args: unknown[]) => Unlocker>);
  const inputs = contract.artifact.abi[0]?.inputs ?? [];
  return first?.(...inputs.map(() => new Uint8Array())).generateLockingBytecode() ?? new Uint8Array();
};
