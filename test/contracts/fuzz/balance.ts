/** Makes a mutated spend add up: who wants more out than goes in pays for it, and takes what is left over. */
import { binToHex, type Output } from '@bitauth/libauth';
import { fungible, owned, plain } from '../harness/coins.js';
import type { Party } from '../harness/parties.js';
import type { Input, Spend } from '../harness/spend.js';

const FEE = 3_000n;

const satoshisOf = (outputs: readonly Output[]): bigint =>
  outputs.reduce((sum, { valueSatoshis }) => sum + valueSatoshis, 0n);

const tokensOf = (outputs: readonly Output[], category: string): bigint =>
  outputs.reduce(
    (sum, { token }) =>
      token !== undefined && binToHex(token.category) === category ? sum + token.amount : sum,
    0n,
  );

const coinsOf = ({ inputs }: Spend): Output[] => inputs.map(({ coin }) => coin);

const balanceTokens = (spend: Spend, category: string, attacker: Party): Spend => {
  const left = tokensOf(coinsOf(spend), category) - tokensOf(spend.outputs, category);
  if (left > 0n) return { ...spend, outputs: [...spend.outputs, fungible(attacker.lock, left, category)] };
  if (left === 0n) return spend;
  const more = owned(`more ${category}`, attacker, fungible(attacker.lock, -left, category));
  return { ...spend, inputs: [...spend.inputs, more] };
};

const isPurse = ({ unlock, coin }: Input): boolean => 'key' in unlock && coin.token === undefined;

const balanceSatoshis = (spend: Spend, attacker: Party): Spend => {
  const left = satoshisOf(coinsOf(spend)) - satoshisOf(spend.outputs) - FEE;
  if (left >= 1_000n) return { ...spend, outputs: [...spend.outputs, plain(attacker.lock, left)] };
  if (left >= 0n) return spend;
  const at = spend.inputs.findIndex(isPurse);
  const purse = spend.inputs[at];
  if (purse === undefined) {
    return { ...spend, inputs: [...spend.inputs, owned('purse', attacker, plain(attacker.lock, -left))] };
  }
  const coin = { ...purse.coin, valueSatoshis: purse.coin.valueSatoshis - left };
  return {
    ...spend,
    inputs: spend.inputs.map((input, index) => (index === at ? { ...purse, coin } : input)),
  };
};

/** The spend with inputs and outputs that add up, in satoshis and in the tokens that anyone can own. */
export const balance = (spend: Spend, categories: readonly string[], attacker: Party): Spend =>
  balanceSatoshis(
    categories.reduce((kept, category) => balanceTokens(kept, category, attacker), spend),
    attacker,
  );

/** Same outpoint, same coin: of inputs that spend one coin twice, the first stays. */
export const withoutDoubles = (spend: Spend): Spend => ({
  ...spend,
  inputs: spend.inputs.filter(
    ({ txid, vout }, index) =>
      spend.inputs.findIndex((input) => input.txid === txid && input.vout === vout) === index,
  ),
});
