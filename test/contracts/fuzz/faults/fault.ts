/** A spend that breaks one rule of its contract, and fits otherwise: it adds up, and all who must have signed it. */
import { binToHex, type Output } from '@bitauth/libauth';
import { fungible, owned, plain, TOKEN } from '../../harness/coins.js';
import type { Party } from '../../harness/parties.js';
import type { Input, Spend } from '../../harness/spend.js';
import type { Invariant } from '../../invariants/oracle.js';
import { replaceAt } from '../mutation.js';

export type Fault = {
  readonly name: string;
  /** What breaks when it is accepted. */
  readonly invariant: Invariant;
  /** The message of the `require` that it breaks; `vm: …`, `chain: …`, or the beginning of libauth's text. */
  readonly refusedBy: string;
  /** The input whose contract refuses; 0 when absent. */
  readonly input?: number;
  readonly spend: Spend;
};

/** What libauth says when tokens come out that did not go in. */
export const TOKEN_RULES = 'Transaction violates token validation';

const FEE = 3_000n;

const isPurse = ({ unlock, coin }: Input): boolean => 'key' in unlock && coin.token === undefined;

const satoshisOf = (outputs: readonly Output[]): bigint =>
  outputs.reduce((sum, { valueSatoshis }) => sum + valueSatoshis, 0n);

const tokensOf = (outputs: readonly Output[]): bigint =>
  outputs.reduce(
    (sum, { token }) =>
      token !== undefined && binToHex(token.category) === TOKEN ? sum + token.amount : sum,
    0n,
  );

/** Tokens of the pool's category that are left over go to the thief, those that are missing come from him. */
const fitTokens = (spend: Spend, thief: Party): Spend => {
  const left = tokensOf(spend.inputs.map(({ coin }) => coin)) - tokensOf(spend.outputs);
  if (left > 0n) return { ...spend, outputs: [...spend.outputs, fungible(thief.lock, left)] };
  if (left === 0n) return spend;
  return { ...spend, inputs: [...spend.inputs, owned('missing', thief, fungible(thief.lock, -left))] };
};

/** The coin that pays the fee is worth what is missing; what is too much for that goes to the thief. */
const fitSatoshis = (spend: Spend, thief: Party): Spend => {
  const found = spend.inputs.findIndex(isPurse);
  const inputs = found === -1 ? [...spend.inputs, owned('purse', thief)] : spend.inputs;
  const at = found === -1 ? inputs.length - 1 : found;
  const purse = inputs[at] as Input;
  const others = inputs.filter((_, index) => index !== at).map(({ coin }) => coin);
  const missing = satoshisOf(spend.outputs) + FEE - satoshisOf(others);
  const least = 1_000n;
  const valueSatoshis = missing < least ? least : missing;
  const outputs =
    missing < least - 546n ? [...spend.outputs, plain(thief.lock, least - missing)] : spend.outputs;
  const coin = { ...purse.coin, valueSatoshis };
  return { ...spend, inputs: replaceAt(inputs, at, { ...purse, coin }), outputs };
};

/** The spend with inputs and outputs that add up, in satoshis and in the tokens of the pool. */
export const fit = (spend: Spend, thief: Party): Spend => fitSatoshis(fitTokens(spend, thief), thief);
