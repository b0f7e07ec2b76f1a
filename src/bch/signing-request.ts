/**
 * The wcTransaction as JSON and as values.
 *
 * Source: wc2-bch-bcr, `bch_signTransaction`. A wallet reads a contract input's unlocking bytecode from the source
 * output (not from the transaction), and takes an input for a contract's when its artifact has a `contractName`.
 *
 * Bytes and bigints travel in extended JSON: `"<Uint8Array: 0x..>"` and `"<bigint: 1n>"`. Libauth writes it
 * (`stringify`); the reader is ours.
 */
import {
  binsAreEqual,
  hexToBin,
  stringify,
  type Input as LibauthInput,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import type { WcSourceOutput } from 'cashscript';
import { z } from 'zod';
import { TreasuryError } from '../errors.js';
import { ContractTerms } from './fields.js';
import { decodeRaw, encodeRaw } from './transaction.js';

const bytesText = /^<Uint8Array: 0x((?:[0-9a-f]{2})*)>$/;
const bigintText = /^<bigint: (-?\d+)n>$/;

/**
 * A value as a tree that JSON can hold. Properties that are undefined are left out, as in JSON.
 * For the reverse, see {@link decodeExtended}.
 *
 * @example
 * encodeExtended({ amount: 1n, key: Uint8Array.of(1) }); // { amount: '<bigint: 1n>', key: '<Uint8Array: 0x01>' }
 */
export const encodeExtended = (value: unknown): unknown => JSON.parse(stringify(value));

const decodeText = (text: string): unknown => {
  const bytes = bytesText.exec(text)?.[1];
  if (bytes !== undefined) return hexToBin(bytes);
  const digits = bigintText.exec(text)?.[1];
  return digits === undefined ? text : BigInt(digits);
};

/**
 * The value a tree of extended JSON stands for; what is not marked stays as it is.
 * Text that happens to look like a mark is read as one: the format has no escape.
 *
 * @example
 * decodeExtended({ amount: '<bigint: 1n>' }); // { amount: 1n }
 */
export const decodeExtended = (tree: unknown): unknown => {
  if (typeof tree === 'string') return decodeText(tree);
  if (Array.isArray(tree)) return tree.map(decodeExtended);
  if (tree === null || typeof tree !== 'object' || tree instanceof Uint8Array) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, item]) => [key, decodeExtended(item)]));
};

/** A wcTransaction as it travels: plain JSON. */
export type WalletTransaction = {
  /** Raw hex. Inputs that the wallet signs are empty (P2PKH) or hold placeholders (contracts). */
  readonly transaction: string;
  /** Per input: the input and the output it spends, in extended JSON. */
  readonly sourceOutputs: unknown[];
  /** True: the wallet broadcasts what it signed. */
  readonly broadcast: boolean;
  readonly userPrompt?: string;
  /** See `transactionDigest`. Wallets pass it by. */
  readonly digest?: string;
  /** Contracts that it pays into and that no input shows. Wallets pass them by. */
  readonly contracts?: readonly ContractTerms[];
};

/** A wcTransaction as values. */
export type SigningRequest = {
  readonly transaction: LibauthTransaction;
  readonly sourceOutputs: readonly WcSourceOutput[];
  readonly broadcast: boolean;
  readonly userPrompt?: string;
  /** As the document has it: a claim, like all that it says. */
  readonly digest?: string;
  readonly contracts?: readonly ContractTerms[];
};

type Said = Pick<SigningRequest, 'userPrompt' | 'digest' | 'contracts'>;

const malformed = (reason: string): TreasuryError => new TreasuryError('tx_malformed', { reason });

const isSameCoin = (a: LibauthInput, b: LibauthInput): boolean =>
  a.outpointIndex === b.outpointIndex && binsAreEqual(a.outpointTransactionHash, b.outpointTransactionHash);

const requireMatchingSources = ({ inputs }: LibauthTransaction, sources: readonly WcSourceOutput[]): void => {
  if (inputs.length !== sources.length) {
    throw malformed(`it has ${inputs.length} inputs, and there are ${sources.length} sourceOutputs`);
  }
  for (const [index, input] of inputs.entries()) {
    const source = sources[index];
    if (source === undefined || !isSameCoin(input, source)) {
      throw malformed(`sourceOutputs.${index} is not the coin that input ${index} spends`);
    }
  }
};

/**
 * The source outputs, each with its input's unlocking bytecode: that is where wallets look for placeholders.
 *
 * @throws tx_malformed when the source outputs are not those of the inputs
 * @example
 * alignSources(payment).length; // 1
 * alignSources({ ...payment, sourceOutputs: [] }); // throws tx_malformed
 */
export const alignSources = ({
  transaction,
  sourceOutputs,
}: Pick<SigningRequest, 'transaction' | 'sourceOutputs'>): WcSourceOutput[] => {
  requireMatchingSources(transaction, sourceOutputs);
  return sourceOutputs.map((source, index) => ({ ...source, ...transaction.inputs[index] }));
};

/** What wallets show and check of a contract; no source, bytecode or debug information. */
const trimContract = ({ abiFunction, redeemScript, artifact }: NonNullable<WcSourceOutput['contract']>) => ({
  abiFunction,
  redeemScript,
  artifact: {
    contractName: artifact.contractName,
    constructorInputs: artifact.constructorInputs,
    abi: [abiFunction],
  },
});

/** What a document says beside the transaction, as far as it says it. */
const said = ({ userPrompt, digest, contracts }: Said): Said => ({
  ...(userPrompt === undefined ? {} : { userPrompt }),
  ...(digest === undefined ? {} : { digest }),
  ...(contracts === undefined || contracts.length === 0 ? {} : { contracts }),
});

/**
 * A signing request as the JSON that wallets take. For the reverse, see {@link decodeWalletTransaction}.
 *
 * @throws tx_malformed when the source outputs are not those of the inputs
 * @example
 * encodeWalletTransaction({ ...payment, broadcast: true }); // request
 */
export const encodeWalletTransaction = (request: SigningRequest): WalletTransaction => {
  const sources = alignSources(request).map(({ contract, ...source }) =>
    contract === undefined ? source : { ...source, contract: trimContract(contract) },
  );
  return {
    transaction: encodeRaw(request.transaction),
    sourceOutputs: encodeExtended(sources) as unknown[],
    broadcast: request.broadcast,
    ...said(request),
  };
};

const Bytes = z.instanceof(Uint8Array, { error: 'expected bytes in extended JSON' });
const Bytes32 = Bytes.refine((bytes) => bytes.length === 32, 'expected 32 bytes');
const Uint32 = z.int().min(0).max(0xffffffff);
const Uint64 = z.bigint().min(0n).max(0xffffffffffffffffn);
const AbiFunction = z.looseObject({
  name: z.string(),
  inputs: z.array(z.looseObject({ name: z.string(), type: z.string() })),
});

const InputValue = z.object({
  outpointIndex: Uint32,
  outpointTransactionHash: Bytes32,
  sequenceNumber: Uint32,
  unlockingBytecode: Bytes,
});
const OutputValue = z.object({
  lockingBytecode: Bytes,
  valueSatoshis: Uint64,
  token: z
    .object({
      amount: Uint64,
      category: Bytes32,
      nft: z
        .object({ capability: z.enum(['none', 'mutable', 'minting']), commitment: Bytes })
        .exactOptional(),
    })
    .exactOptional(),
});
const ContractValue = z.object({
  abiFunction: AbiFunction,
  redeemScript: Bytes,
  artifact: z.looseObject({ contractName: z.string().exactOptional() }),
});
const RequestValue = z.object({
  transaction: z.union([
    z.string(),
    z.object({
      version: Uint32,
      locktime: Uint32,
      inputs: z.array(InputValue),
      outputs: z.array(OutputValue),
    }),
  ]),
  sourceOutputs: z.array(
    z.object({ ...InputValue.shape, ...OutputValue.shape, contract: ContractValue.exactOptional() }),
  ),
  broadcast: z.boolean().default(true),
  userPrompt: z.string().exactOptional(),
  digest: z.string().exactOptional(),
  contracts: z.array(ContractTerms).exactOptional(),
});

/** Some dapps send a part as the text that libauth's `stringify` gives. */
const unpackText = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const readRequest = (value: unknown): z.output<typeof RequestValue> => {
  const fields = z.record(z.string(), z.unknown()).safeParse(unpackText(value));
  if (!fields.success) throw malformed('expected { transaction, sourceOutputs, broadcast, userPrompt }');
  const { transaction, sourceOutputs, ...rest } = fields.data;
  if (transaction === undefined) throw malformed('it has no "transaction"');
  if (sourceOutputs === undefined) {
    throw malformed('it has no "sourceOutputs", and a raw transaction alone does not say what it spends');
  }
  const result = RequestValue.safeParse({
    ...rest,
    transaction: decodeExtended(unpackText(transaction)),
    sourceOutputs: decodeExtended(unpackText(sourceOutputs)),
  });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw malformed(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`);
};

/**
 * A wcTransaction as values. The transaction may be raw hex, libauth's object in extended JSON, or that as text.
 *
 * @throws tx_malformed when it is none, or its source outputs are not the coins of its inputs, one to one
 * @example
 * decodeWalletTransaction(request).transaction; // payment.transaction
 * decodeWalletTransaction({ transaction: request.transaction }); // throws tx_malformed
 */
export const decodeWalletTransaction = (value: unknown): SigningRequest => {
  const { transaction: given, sourceOutputs, broadcast, ...words } = readRequest(value);
  const transaction = typeof given === 'string' ? decodeRaw(given) : decodeRaw(encodeRaw(given));
  requireMatchingSources(transaction, sourceOutputs);
  return {
    transaction,
    sourceOutputs,
    broadcast,
    ...said(words),
  };
};
