/** An examined transaction as answers show it. */
import { z } from 'zod';
import { addressOf } from '../../../bch/address.js';
import type { Network } from '../../../bch/network.js';
import { outputWords } from './checks.js';
import type { Examined } from './examine.js';
import { flowWords } from './flows.js';
import { locktimeWords, SignatureReply, showSignature } from './signer-words.js';

const tokens = z.array(z.object({ category: z.string(), amount: z.string().describe('Smallest unit') }));

/** What `tx verify` answers. */
export const VerifyReply = z.object({
  success: z.boolean().describe('True when all that was to be checked was, and holds'),
  code: z.enum(['tx_mismatch', 'tx_missing_inputs', 'chain_unavailable']).optional(),
  message: z.string(),
  digest: z.string().nullable().describe('Worked out here; null while not all inputs are known'),
  network: z.string(),
  fee: z.string().nullable().describe('Satoshis'),
  locktime: z.number(),
  from: z.string().describe('From when it can be mined, in words'),
  parties: z
    .array(z.object({ party: z.string(), words: z.string(), satoshis: z.string(), tokens }))
    .describe('Who pays whom: what each party is richer by, below 0 poorer'),
  outputs: z.array(z.object({ to: z.string(), words: z.string(), satoshis: z.string() })),
  contracts: z
    .array(
      z.object({
        contract: z.string(),
        what: z.string(),
        address: z.string(),
        fingerprint: z.string(),
        call: z.string().nullable().describe('The function that is called'),
        became: z.enum(['made', 'goes on', 'ended', 'paid']),
        terms: z.array(z.object({ what: z.string(), value: z.string() })),
        state: z.array(
          z.object({ what: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
        ),
      }),
    )
    .describe('The contracts that were recognised, and what becomes of each'),
  signatures: z.array(SignatureReply),
  checks: z.array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() })),
  unnamed: z.array(z.string()).describe('What it moves that has no name here'),
  unchecked: z.array(z.string()).describe('What was not checked, and why'),
  notes: z.array(z.string()),
});
export type VerifyReply = z.output<typeof VerifyReply>;

type Verdict = Pick<VerifyReply, 'success' | 'code' | 'message'>;

const verdictOf = ({ checks, spent, failure, unchecked }: Examined, offline: boolean): Verdict => {
  const failed = checks.filter(({ ok }) => !ok);
  if (failed.length > 0) {
    const message = `Do not sign this: ${failed.map(({ check, detail }) => `${check}: ${detail}`).join('; ')}`;
    return { success: false, code: 'tx_mismatch', message };
  }
  if (failure !== null) {
    const message = 'The chain could not be asked: what the inputs hold is what the file says';
    return { success: false, code: 'chain_unavailable', message };
  }
  if (!offline && spent.some(({ by }) => by !== 'chain')) {
    const missing = spent
      .filter(({ by }) => by !== 'chain')
      .map(({ index, outpoint }) => `input ${index} (${outpoint})`);
    const message = `The chain does not know what ${missing.join(', ')} spends: is this of another network?`;
    return { success: false, code: 'tx_missing_inputs', message };
  }
  const message =
    unchecked.length === 0
      ? 'It does what is said here. Compare the digest with that of the others'
      : 'It does what is said here, as far as it was checked. Compare the digest with that of the others';
  return { success: true, message };
};

/** For the schema, see {@link VerifyReply}. */
export const showExamined = (examined: Examined, network: Network, offline: boolean): VerifyReply => {
  const { digest, fee, locktime, version, isState, flows, outputs, changes, signatures, voice, places } =
    examined;
  const { checks, unnamed, unchecked, notes, spent } = examined;
  const nameOf = (lock: string): string => {
    const contract = places.contractAt(lock);
    const said = voice.lock(lock);
    if (contract === null) return said;
    return places.isReserve(lock)
      ? `${said} (the tokens of the ${contract.words.what})`
      : `${said} (${contract.words.what})`;
  };
  return {
    ...verdictOf(examined, offline),
    digest,
    network,
    fee: fee === null ? null : fee.toString(),
    locktime,
    from: locktimeWords(
      { locktime, version },
      spent.map(({ sequence }) => sequence),
      voice,
    ),
    parties: flows.map((flow) => ({
      party: nameOf(flow.lock),
      words: flowWords(flow, voice),
      satoshis: flow.satoshis.toString(),
      tokens: flow.tokens.map(({ category, amount }) => ({ category, amount: amount.toString() })),
    })),
    outputs: outputs.map((output) => ({
      to: nameOf(output.lockingBytecode),
      words: outputWords(output, { ...voice, lock: nameOf }, isState(output)),
      satoshis: output.satoshis.toString(),
    })),
    contracts: changes.map(({ contract, call, became, terms, rows }) => ({
      contract: contract.contractName,
      what: contract.words.what,
      address: addressOf(contract.lockingBytecode, network)?.text ?? '',
      fingerprint: contract.fingerprint,
      call,
      became,
      terms: terms.map(([what, value]) => ({ what, value })),
      state: [...rows],
    })),
    signatures: signatures.map((one) => showSignature(one, voice)),
    checks: checks.map((one) => ({ ...one })),
    unnamed: [...unnamed],
    unchecked: [...unchecked],
    notes: [...notes],
  };
};
