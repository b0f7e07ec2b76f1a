/** What a move tells about itself: its function, and who signs. */
import { isSigning } from './bound.js';
import type { Move } from './cases.js';
import type { Party } from './parties.js';
import { callAt, type Spend } from './spend.js';

/** The function that a move calls. */
export const functionOf = ({ name }: Move): string => name.split(' › ')[0] ?? name;

/** `creator` of `creatorSig`: the name under which messages speak of a signer. */
const roleAt = (spend: Spend, index: number): string => {
  const { contract, call } = callAt(spend);
  const input = contract.artifact.abi.find(({ name }) => name === call)?.inputs[index];
  return input?.name.replace(/Sig$/, '') ?? '?';
};

/** The signatures of the call at input 0, each with its maker and its name in messages. */
export const signaturesOf = (
  spend: Spend,
): { readonly index: number; readonly by: Party; readonly role: string }[] =>
  callAt(spend).args.flatMap((argument, index) =>
    isSigning(argument) ? [{ index, by: argument.sign, role: roleAt(spend, index) }] : [],
  );
