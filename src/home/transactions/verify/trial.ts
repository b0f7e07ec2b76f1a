/**
 * Whether the network would take a transaction: what is signed is run as it is; what waits for one party is run with
 * a stand-in for its signatures, as it was before it was handed out.
 */
import { encodeAuthenticationInstructions, hexToBin } from '@bitauth/libauth';
import type { WcSourceOutput } from 'cashscript';
import { isOpenPush } from '../../../bch/combine-inputs.js';
import { pushesOf, readInstructions } from '../../../bch/instructions.js';
import { preflight, verifyTransaction, type ChainTime } from '../../../bch/wallet-transaction.js';
import { isTreasuryError } from '../../../errors.js';
import type { Places } from './places.js';
import { ANOTHER_SIGNER, type FoundSignature, type Resolved } from './signatures.js';

/** What came of it: `detail` says it in words. */
export type Trial = { readonly state: 'taken' | 'refused' | 'not tried'; readonly detail: string };

/** Every place of a signature that is still to come, as a wallet looks for it: the filler of another signer too. */
const emptied = (unlockingBytecode: Uint8Array): Uint8Array => {
  const instructions = readInstructions(unlockingBytecode);
  if (instructions === null) return unlockingBytecode;
  return encodeAuthenticationInstructions(
    instructions.map((instruction) =>
      'data' in instruction && isOpenPush(instruction.data)
        ? { ...instruction, data: new Uint8Array(instruction.data.length) }
        : instruction,
    ),
  );
};

/** Which contract it is, as the stand-in has to know it: by what was recognised, not by what a file says. */
const asContract = (source: WcSourceOutput, name: string): WcSourceOutput => ({
  ...source,
  contract: {
    abiFunction: { name: '', inputs: [] },
    redeemScript: pushesOf(source.unlockingBytecode).at(-1) ?? new Uint8Array(),
    artifact: { contractName: name },
  },
});

const prepared = ({ transaction, sourceOutputs }: Resolved, { contractAt }: Places): Resolved => {
  const inputs = transaction.inputs.map((input) => ({
    ...input,
    unlockingBytecode: emptied(input.unlockingBytecode),
  }));
  return {
    transaction: { ...transaction, inputs },
    sourceOutputs: sourceOutputs.map((source, index) => {
      const own = {
        ...source,
        unlockingBytecode: inputs[index]?.unlockingBytecode ?? source.unlockingBytecode,
      };
      const lock = Buffer.from(source.lockingBytecode).toString('hex');
      const contract = contractAt(lock);
      return contract === null ? own : asContract(own, contract.contractName);
    }),
  };
};

const taken = (detail: string): Trial => ({ state: 'taken', detail });

const attempt = (run: () => void, detail: string): Trial => {
  try {
    run();
    return taken(detail);
  } catch (error) {
    if (!isTreasuryError(error)) throw error;
    return { state: 'refused', detail: error.message };
  }
};

/** @param chainTime null: the chain was not asked, so that a locktime is not judged */
export const tryTransaction = (
  resolved: Resolved,
  signatures: readonly FoundSignature[],
  places: Places,
  chainTime: ChainTime | null,
): Trial => {
  const missing = signatures.filter(({ state }) => state === 'missing');
  if (missing.length === 0) {
    const run = () => {
      verifyTransaction({ transaction: resolved.transaction, sourceOutputs: [...resolved.sourceOutputs] });
    };
    return attempt(run, 'it is signed, and the scripts take it');
  }
  const named = missing.filter(({ key }) => key !== null);
  const parties = [...new Set(missing.map(({ of }) => of))];
  const only = missing.find(({ role }) => role !== ANOTHER_SIGNER)?.of ?? '';
  const keys = [...new Set(named.map(({ key }) => key ?? ''))].map(hexToBin);
  // Keys that a contract names itself (a vault) stand for one another; else it must be one party.
  if (parties.length > 1 && named.length < missing.length)
    return { state: 'not tried', detail: `signatures of ${parties.length} parties are missing` };
  const [publicKey, ...coSignerKeys] = keys;
  const party = { lockingBytecode: only, ...(publicKey === undefined ? {} : { publicKey, coSignerKeys }) };
  const time = chainTime ?? { medianTimePast: Infinity };
  const run = () => {
    preflight(prepared(resolved, places), party, time);
  };
  return attempt(run, 'the scripts take it once the missing signatures are there');
};
