/** Signers and times in words. */
import { z } from 'zod';
import { ANOTHER_SIGNER, type FoundSignature } from './signatures.js';
import type { HomeVoice } from './voice.js';

/** A signature that is there, or to come. */
export const SignatureReply = z.object({
  input: z.number().describe('From 0'),
  state: z.enum(['given', 'missing', 'wrong']),
  signer: z.string().describe('The address of whose it is, with the name that this home has for it'),
  role: z.string().nullable().describe('What the signer is to the contract: sender, recipient'),
  reason: z.string().nullable().describe('What is wrong with it'),
});

/** For the schema, see {@link SignatureReply}. */
export const showSignature = (
  { input, of, role, state, reason }: FoundSignature,
  voice: Pick<HomeVoice, 'lock'>,
): z.output<typeof SignatureReply> => ({ input, state, signer: voice.lock(of), role, reason });

/** `the sender bchtest:... (@ben), for inputs 0 and 1` */
export const signerWords = (
  signatures: readonly z.output<typeof SignatureReply>[],
  wanted: FoundSignature['state'],
): readonly string[] => {
  const found = signatures.filter(({ state }) => state === wanted);
  const who = ({ signer, role }: z.output<typeof SignatureReply>): string =>
    role === null || role === 'signer'
      ? signer
      : role === ANOTHER_SIGNER
        ? `${role} of ${signer}`
        : `the ${role} ${signer}`;
  return [...new Set(found.map(who))].map((name) => {
    const inputs = found.filter((one) => who(one) === name).map(({ input }) => input);
    return `${name}, for ${inputs.length === 1 ? 'input' : 'inputs'} ${inputs.join(', ')}`;
  });
};

/** Locktimes below are block heights. Source: consensus. */
const LOCKTIME_THRESHOLD = 500_000_000;
const FINAL_SEQUENCE = 0xffffffff;

/** Relative locks of inputs, from version 2 on. Source: BIP 68. */
const NO_RELATIVE_LOCK = 0x80000000;
const IN_SECONDS = 0x00400000;
const RELATIVE_VALUE = 0xffff;
const RELATIVE_UNIT_SECONDS = 512;

type Times = Pick<HomeVoice, 'date' | 'duration'>;

const absoluteWords = (
  locktime: number,
  sequences: readonly number[],
  { date }: Times,
): readonly string[] => {
  if (locktime === 0 || sequences.every((sequence) => sequence === FINAL_SEQUENCE)) return [];
  return locktime < LOCKTIME_THRESHOLD
    ? [`after block ${locktime}`]
    : [`once the chain's time is past ${date(locktime)}`];
};

const relativeWords = (sequences: readonly number[], { duration }: Times): readonly string[] =>
  sequences.flatMap((sequence, index) => {
    const value = sequence & RELATIVE_VALUE;
    if (sequence >= NO_RELATIVE_LOCK || value === 0) return [];
    const age = (sequence & IN_SECONDS) === 0 ? `${value} blocks` : duration(value * RELATIVE_UNIT_SECONDS);
    return [`once what input ${index} spends is ${age} old`];
  });

/** From when a transaction can be mined. */
export const locktimeWords = (
  { locktime, version }: { readonly locktime: number; readonly version: number },
  sequences: readonly number[],
  times: Times,
): string => {
  const waits = [
    ...absoluteWords(locktime, sequences, times),
    ...(version < 2 ? [] : relativeWords(sequences, times)),
  ];
  return waits.length === 0 ? 'at once' : waits.join(', and ');
};
