/** A covenant's contract with its parameters bound: address, script and unlockers. */
import { binToHex, flattenBinArray, hash256, hexToBin } from '@bitauth/libauth';
import {
  Contract,
  encodeFunctionArgument,
  utils,
  type Artifact,
  type ConstructorArgument,
  type Unlocker,
  type FunctionArgument,
} from 'cashscript';
import { addressOf, type Address } from '../bch/address.js';
import { hexOf } from '../bch/hex.js';
import { NETWORKS, type Network } from '../bch/network.js';
import { TreasuryError } from '../errors.js';
import { loadArtifact, pinnedFingerprint, type ArtifactName } from './artifact.js';

/** A parameter as records and answers show it: hex for bytes, a decimal string for an integer. */
export type ConstructorParameter = string;

export type CovenantContract = {
  readonly name: ArtifactName;
  /** Of its version. */
  readonly fingerprint: string;
  readonly address: Address;
  /** Hex. */
  readonly lockingBytecode: string;
  /** In constructor order. */
  readonly constructorParams: readonly ConstructorParameter[];
  /** The unlocker of one of its functions. */
  readonly unlock: (functionName: string, ...args: FunctionArgument[]) => Unlocker;
};

/**
 * CashScript asks for a provider; addresses, unlockers and builders need its network only, and nothing here may reach
 * one.
 *
 * @example
 * offline('local').getBlockHeight(); // throws chain_unavailable
 */
export const offline = (network: Network) => {
  const unreachable = () =>
    Promise.reject(new TreasuryError('chain_unavailable', { reason: 'contracts are offline' }));
  return {
    network: NETWORKS[network].cashscriptName,
    getUtxos: unreachable,
    getBlockHeight: unreachable,
    getRawTransaction: unreachable,
    sendRawTransaction: unreachable,
  };
};

const showParameter = (argument: ConstructorArgument): ConstructorParameter =>
  argument instanceof Uint8Array ? binToHex(argument) : String(argument);

/** A version of a contract: `pinned` is what a record has in `artifact_fingerprint`. */
export type PinnedContract = { readonly name: ArtifactName; readonly pinned: string | null };

type Arguments = readonly (Uint8Array | bigint)[];

/** The script of an artifact, which follows the parameters: the same for all contracts that are made of it. */
const bodies = new WeakMap<Artifact, Uint8Array>();

const bodyOf = (artifact: Artifact): Uint8Array => {
  const known = bodies.get(artifact);
  if (known !== undefined) return known;
  const body = utils.scriptToBytecode(utils.asmToScript(artifact.bytecode));
  bodies.set(artifact, body);
  return body;
};

/**
 * The locking bytecode of a contract (hex), as CashScript's own makes it, which reads the artifact's script anew each
 * time: that takes milliseconds.
 */
const lockOf = (artifact: Artifact, args: Arguments): string => {
  const { constructorInputs, contractName } = artifact;
  if (constructorInputs.length !== args.length)
    throw new Error(`${contractName} takes ${constructorInputs.length} parameters, not ${args.length}`);
  const encoded = args.map((argument, index) =>
    encodeFunctionArgument(argument, constructorInputs[index]?.type ?? ''),
  );
  const parameters = utils.scriptToBytecode(encoded.reverse() as Uint8Array[]);
  return `aa20${hexOf(hash256(flattenBinArray([parameters, bodyOf(artifact)])))}87`;
};

const makeContract = (
  { name, pinned }: PinnedContract,
  args: Arguments,
  network: Network,
): CovenantContract => {
  const artifact = loadArtifact(name, pinned);
  const lockingBytecode = lockOf(artifact, args);
  const address = addressOf(lockingBytecode, network) as Address;
  let made: Contract | null = null;
  /** CashScript's own, which only a spend needs. */
  const contract = (): Contract => {
    made ??= new Contract(artifact, [...args], { provider: offline(network), addressType: 'p2sh32' });
    if (made.address !== address.text)
      throw new Error(`${name} lies at ${made.address}, and not at ${address.text}`);
    return made;
  };
  return {
    name,
    fingerprint: pinnedFingerprint(name, pinned),
    address,
    lockingBytecode,
    constructorParams: args.map(showParameter),
    unlock: (functionName, ...functionArgs) => {
      const unlocker = (
        contract().unlock as Record<string, ((...given: FunctionArgument[]) => Unlocker) | undefined>
      )[functionName];
      if (unlocker === undefined) throw new Error(`${name} has no function ${functionName}`);
      return unlocker(...functionArgs);
    },
  };
};

/** The contracts that were bound last: one request binds the same terms several times, and each costs milliseconds. */
const bound = new Map<string, CovenantContract>();
const MOST_BOUND = 500;

/**
 * Binds a contract's parameters (`Uint8Array` for bytes, bigint for integers).
 *
 * @throws unknown_contract_version
 * @example
 * bindContract({ name: 'token-reserve', pinned: null }, [coin.txid, COVENANT_LOCK].map(hexBytes), 'local').address.kind; // 'p2sh'
 */
export const bindContract = (
  pinnedContract: PinnedContract,
  args: Arguments,
  network: Network,
): CovenantContract => {
  const { name, pinned } = pinnedContract;
  // Bytes are told from integers: what CashScript refuses must not be found here.
  const shown = args.map((argument) => `${typeof argument} ${showParameter(argument)}`);
  const id = [network, name, pinned, ...shown].join();
  const contract = bound.get(id) ?? makeContract(pinnedContract, args, network);
  bound.delete(id);
  bound.set(id, contract);
  const [oldest = ''] = bound.keys();
  if (bound.size > MOST_BOUND) bound.delete(oldest);
  return contract;
};

/**
 * A token category in the byte order of scripts: 32 zero bytes for BCH, else the reversed transaction id.
 *
 * @example
 * scriptCategory(null); // new Uint8Array(32)
 */
export const scriptCategory = (category: string | null): Uint8Array =>
  category === null ? new Uint8Array(32) : hexToBin(category).reverse();
