/** Whose signatures a transaction has, whose are missing, and which are wrong. */
import {
  binToHex,
  hash160,
  hexToBin,
  secp256k1,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import type { WcSourceOutput } from 'cashscript';
import { isOpenInput, isOpenPush } from '../../../bch/combine-inputs.js';
import { pushesOf } from '../../../bch/instructions.js';
import { toLibauthOutput } from '../../../bch/transaction.js';
import { inputRefusal } from '../../../bch/virtual-machine.js';
import { messageToSign, SIGNATURE_TYPE } from '../../../bch/wallet-transaction.js';
import { param } from '../../../covenant/contract-words.js';
import { readCall, type CallArgument } from '../../../covenant/recognise.js';
import type { KnownContract, Places } from './places.js';
import type { SpentCoin } from './sources.js';

/** One signature that an input has, or waits for. */
export type FoundSignature = {
  readonly input: number;
  /** The locking bytecode (hex) of whose it is: of a key, or of what is not known. */
  readonly of: string;
  /** What the signer is to the contract: `sender`; null where there is no contract. */
  readonly role: string | null;
  readonly state: 'given' | 'missing' | 'wrong';
  /** Why it is wrong. */
  readonly reason: string | null;
  /** The key, where it is named: hex of 33 bytes. */
  readonly key: string | null;
};

/** The transaction with what it spends, for the VM. */
export type Resolved = {
  readonly transaction: LibauthTransaction;
  readonly sourceOutputs: readonly WcSourceOutput[];
};

/** What the VM needs: the inputs with what they spend; null while nobody says what one of them spends. */
export const resolve = (transaction: LibauthTransaction, spent: readonly SpentCoin[]): Resolved | null => {
  const inputs = transaction.inputs.map((input, index) => ({
    ...input,
    unlockingBytecode: hexToBin(spent[index]?.unlockingBytecode ?? ''),
  }));
  const sourceOutputs = inputs.flatMap((input, index) => {
    const coin = spent[index]?.coin ?? null;
    return coin === null ? [] : [{ ...input, ...toLibauthOutput(coin) }];
  });
  return sourceOutputs.length === inputs.length
    ? { transaction: { ...transaction, inputs }, sourceOutputs }
    : null;
};

/** Stands in the place of another signer's signature. */
const FILLER = 0xff;
/** The role of whoever signs there. */
export const ANOTHER_SIGNER = 'another signer';

const lockOfHash = (hash: string): string => `76a914${hash}88ac`;

/** The key hash of a role, by the parameters or the state. Null: the call names the key itself, or it is not known. */
const hashOfRole = (contract: KnownContract, role: string, { coin }: SpentCoin): string | null => {
  const stored = param(contract.params, `${role}Hash`);
  if (stored !== '') return stored;
  return role === 'recipient'
    ? (contract.words.recipient?.(coin?.token?.nft?.commitment ?? '') ?? null)
    : null;
};

/** The pairs of key and signature that a call takes: `senderKey, senderSig`, and `keyA, sigA` of a vault. */
const pairsOf = (args: readonly CallArgument[]) =>
  args.flatMap((key, index) => {
    const signature = args[index + 1];
    if (key.type !== 'pubkey' || signature?.type !== 'sig') return [];
    return [
      { role: /^(\w+)Key$/.exec(key.name)?.[1] ?? 'signer', key: key.value, signature: signature.value },
    ];
  });

type Pair = ReturnType<typeof pairsOf>[number];

/** What is wrong with a signature that is there; null: nothing. */
const faultOf = ({ key, signature }: Pair, expected: string | null, message: Uint8Array): string | null => {
  const type = signature.at(-1) ?? 0;
  if (type !== SIGNATURE_TYPE)
    return `it has the type 0x${type.toString(16)} and not 0x61, which covers everything`;
  const hash = binToHex(hash160(key));
  if (expected !== null && hash !== expected) return 'it is of another key than the contract asks for';
  return secp256k1.verifySignatureSchnorr(signature.slice(0, -1), key, message)
    ? null
    : 'it is not one over this transaction';
};

const ofContract = (
  contract: KnownContract,
  spent: SpentCoin,
  resolved: Resolved | null,
): readonly FoundSignature[] => {
  const call = readCall(contract, spent.unlockingBytecode);
  const redeemScript = pushesOf(hexToBin(spent.unlockingBytecode)).at(-1) ?? new Uint8Array();
  return pairsOf(call?.args ?? []).map((pair): FoundSignature => {
    const expected = hashOfRole(contract, pair.role, spent);
    const isKeyOpen = isOpenPush(pair.key);
    const hash = isKeyOpen ? expected : (expected ?? binToHex(hash160(pair.key)));
    // The filler keeps a place for whoever of a vault signs beside this one: its key is any of the others.
    const isAnyone = pair.signature.length > 0 && pair.signature.every((byte) => byte === FILLER);
    const base = {
      input: spent.index,
      of: hash === null || isAnyone ? contract.lockingBytecode : lockOfHash(hash),
      role: isAnyone ? ANOTHER_SIGNER : pair.role,
      key: isKeyOpen ? null : binToHex(pair.key),
    };
    if (isOpenPush(pair.signature)) return { ...base, state: 'missing', reason: null };
    if (resolved === null)
      return { ...base, state: 'given', reason: 'not checked: not all that it spends is known' };
    const fault = faultOf(pair, expected, messageToSign(resolved, spent.index, redeemScript));
    return { ...base, state: fault === null ? 'given' : 'wrong', reason: fault };
  });
};

const ofPlain = (spent: SpentCoin, resolved: Resolved | null): FoundSignature => {
  const base = { input: spent.index, of: spent.coin?.lockingBytecode ?? '', role: null, key: null };
  if (isOpenInput(hexToBin(spent.unlockingBytecode))) return { ...base, state: 'missing', reason: null };
  if (resolved === null)
    return { ...base, state: 'given', reason: 'not checked: not all that it spends is known' };
  const reason = inputRefusal(resolved, spent.index);
  return { ...base, state: reason === null ? 'given' : 'wrong', reason };
};

/** Every signature of a transaction that is there or to come. Inputs that nobody signs have none. */
export const findSignatures = (
  spent: readonly SpentCoin[],
  resolved: Resolved | null,
  { contractAt }: Pick<Places, 'contractAt'>,
): readonly FoundSignature[] =>
  spent.flatMap((one) => {
    const contract = contractAt(one.coin?.lockingBytecode ?? '');
    if (contract === null) return [ofPlain(one, resolved)];
    return contract.lockingBytecode === one.coin?.lockingBytecode ? ofContract(contract, one, resolved) : [];
  });
