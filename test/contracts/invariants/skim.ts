/** Attempts to skim: an allowed move with gifts in it, its outputs changed at will, and signed anew by all who sign it. */
import { binToHex, hexToBin } from '@bitauth/libauth';
import fc from 'fast-check';
import { called, DUST, fungible, nft, OTHER, owned, plain, reserveOf, TOKEN } from '../harness/coins.js';
import { signers } from '../harness/parties.js';
import { callAt, type Input, type Output, type Spend } from '../harness/spend.js';
import type { AnyTrace, AnyTried } from './every-trace.js';
import { tokensIn } from './covenant.js';

/** Who takes what is skimmed, and is no party. */
export const [thief] = signers;

const GIFTS = ['tokens', 'other tokens', 'satoshis', 'forged thread', 'coin', 'nft'] as const;
type Gift = (typeof GIFTS)[number];

/** One thing that is done to a move. `at` picks an input or output, `share` (0 to 1,000) a part of it. */
type Trick =
  | { readonly kind: 'gift'; readonly gift: Gift; readonly at: number; readonly share: number }
  | { readonly kind: 'skim' | 'swap' | 'take'; readonly at: number; readonly share: number };

/** What is done to a move, one after the other. */
export const anyTricks: fc.Arbitrary<readonly Trick[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('gift' as const),
      gift: fc.constantFrom(...GIFTS),
      at: fc.nat({ max: 5 }),
      share: fc.nat({ max: 1_000 }),
    }),
    fc.record({
      kind: fc.constantFrom('skim' as const, 'skim' as const, 'swap' as const, 'take' as const),
      at: fc.nat({ max: 5 }),
      share: fc.nat({ max: 1_000 }),
    }),
  ),
  { minLength: 1, maxLength: 3 },
);

const insertAt = <T>(list: readonly T[], index: number, item: T): T[] => [
  ...list.slice(0, index),
  item,
  ...list.slice(index),
];

/** A coin that anyone can have put there: at the reserve, at the covenant, or in an own pocket. */
const giftCoin = (trace: AnyTrace, { spend, before }: AnyTried, gift: Gift, share: number): Input => {
  const { contract } = trace.covenant;
  const reserve = reserveOf(contract, before.category);
  const { call, args } = callAt(spend);
  const amount = BigInt(share) + 1n;
  const state = binToHex(spend.inputs[0]?.coin.token?.nft?.commitment ?? new Uint8Array());
  const atReserve = (coin: Output): Input => called(`${gift} ${share}`, coin, reserve, 'spend');
  const atCovenant = (coin: Output): Input => called(`${gift} ${share}`, coin, contract, call, args);
  const coins: Readonly<Record<Gift, () => Input>> = {
    tokens: () => atReserve(fungible(reserve.lock, amount)),
    'other tokens': () => atReserve(fungible(reserve.lock, amount, OTHER)),
    satoshis: () => atReserve(plain(reserve.lock, DUST + amount)),
    'forged thread': () => atCovenant(nft(contract.lock, state, DUST + amount, OTHER)),
    coin: () => atCovenant(plain(contract.lock, DUST + amount)),
    nft: () => owned(`${gift} ${share}`, thief, nft(thief.lock, state, DUST, OTHER)),
  };
  return coins[gift]();
};

const isPool = ({ token }: Output): boolean => token !== undefined && token.amount > 0n;

/** An output in two: what stays of it, and what a thief gets. Null: there is nothing to take. */
const skimOutput = (output: Output, share: number): readonly [Output, Output] | null => {
  const { token, valueSatoshis } = output;
  if (token !== undefined && isPool(output)) {
    const taken = 1n + ((token.amount - 1n) * BigInt(share)) / 1_000n;
    if (taken >= token.amount) return null;
    const { category } = token;
    const kept = { ...output, token: { ...token, amount: token.amount - taken } };
    return [kept, { lockingBytecode: thief.lock, valueSatoshis: DUST, token: { category, amount: taken } }];
  }
  const spare = valueSatoshis - DUST - 546n;
  if (spare <= 0n) return null;
  const taken = 546n + (spare * BigInt(share)) / 1_000n;
  return [{ ...output, valueSatoshis: valueSatoshis - taken }, plain(thief.lock, taken)];
};

const apply = (trace: AnyTrace, tried: AnyTried, spend: Spend, trick: Trick): Spend => {
  const { inputs, outputs } = spend;
  const at = trick.at % outputs.length;
  const output = outputs[at];
  if (output === undefined) return spend;
  if (trick.kind === 'gift') {
    const place = 1 + (trick.at % inputs.length);
    const gift = giftCoin(trace, tried, trick.gift, trick.share);
    const isThere = inputs.some(({ txid }) => txid === gift.txid);
    return isThere ? spend : { ...spend, inputs: insertAt(inputs, place, gift) };
  }
  if (trick.kind === 'swap') {
    const other = trick.share % outputs.length;
    const swapped = outputs.map((each, index) =>
      index === at ? (outputs[other] as Output) : index === other ? output : each,
    );
    return { ...spend, outputs: swapped };
  }
  if (trick.kind === 'take') {
    const taken = { ...output, lockingBytecode: thief.lock };
    return { ...spend, outputs: outputs.map((each, index) => (index === at ? taken : each)) };
  }
  const parts = skimOutput(output, trick.share);
  if (parts === null) return spend;
  const [kept, loot] = parts;
  return { ...spend, outputs: [...outputs.map((each, index) => (index === at ? kept : each)), loot] };
};

const satoshisOf = (outputs: readonly Output[]): bigint =>
  outputs.reduce((sum, { valueSatoshis }) => sum + valueSatoshis, 0n);

const FEE = 3_000n;

/** What is left over goes to the thief, what is missing comes from him. */
const balanced = (spend: Spend): Spend => {
  const amountOf = (outputs: readonly Output[], category: string): bigint =>
    outputs.reduce(
      (sum, { token }) =>
        token !== undefined && binToHex(token.category) === category ? sum + token.amount : sum,
      0n,
    );
  const loot = (from: Spend, category: string): Spend => {
    const left =
      amountOf(
        from.inputs.map(({ coin }) => coin),
        category,
      ) - amountOf(from.outputs, category);
    if (left === 0n) return from;
    if (left > 0n) return { ...from, outputs: [...from.outputs, fungible(thief.lock, left, category)] };
    const more = owned(`more ${category}`, thief, fungible(thief.lock, -left, category));
    return { ...from, inputs: [...from.inputs, more] };
  };
  const tokens = [TOKEN, OTHER].reduce(loot, spend);
  const left = satoshisOf(tokens.inputs.map(({ coin }) => coin)) - satoshisOf(tokens.outputs) - FEE;
  if (left >= 546n) return { ...tokens, outputs: [...tokens.outputs, plain(thief.lock, left)] };
  if (left >= 0n) return tokens;
  return { ...tokens, inputs: [...tokens.inputs, owned('purse', thief, plain(thief.lock, -left))] };
};

/** An allowed move after some tricks, with inputs and outputs that add up. All who sign it sign what it has become. */
export const trickedOf = (trace: AnyTrace, tried: AnyTried, tricks: readonly Trick[]): Spend =>
  balanced(tricks.reduce((spend, trick) => apply(trace, tried, spend, trick), tried.spend));

const isAt = ({ lockingBytecode }: Output, lock: Uint8Array): boolean =>
  Buffer.compare(lockingBytecode, lock) === 0;

/** What moves that somebody else signs must pay to whom: the recipient of a schedule, the refund of a campaign. */
const promisedBy = ({ product }: AnyTrace, { attempt }: AnyTried): AnyTried['attempt']['pays'] => {
  const { call, pays } = attempt;
  const isProtected =
    call === 'push' || call === 'cancel' || (call === 'pause' && product === 'recurring-payment');
  return isProtected ? pays.slice(0, 1).filter(({ amount }) => amount > 0n) : [];
};

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

export type Leak = {
  /** What left the covenant and its reserve for nobody to whom it was promised, in the pool's asset; at most 0. */
  readonly pool: bigint;
  /** Satoshis that left the coin of the thread of a pool in tokens; at most 0. */
  readonly satoshis: bigint;
  /** What is missing from what was promised to those who did not sign; at most 0. */
  readonly short: bigint;
};

/**
 * What an accepted spend lets go beyond what its signers may take. Gifts and own coins are nobody's pool: only the
 * thread's coin and the reserve that the chain knew before are counted, and what lies there after.
 */
export const leakOf = (trace: AnyTrace, tried: AnyTried, spend: Spend): Leak => {
  const { asset, contract } = trace.covenant;
  const { attempt, before, after, chain } = tried;
  const { lock } = reserveOf(contract, before.category);
  const isThread = ({ token }: Output): boolean =>
    token?.nft?.capability === 'mutable' && Buffer.compare(token.category, hexToBin(before.category)) === 0;
  const thread = spend.inputs[0]?.coin as Output;
  const kept = spend.outputs.filter((output) => isAt(output, contract.lock) && isThread(output));
  const spent = new Set(spend.inputs.map(({ txid, vout }) => `${txid}:${vout}`));
  const reserves = [...chain.coins].filter(([, coin]) => isAt(coin, lock));
  const idle = reserves.filter(([id]) => !spent.has(id)).map(([, coin]) => ({ coin }));
  const made = spend.outputs.filter((output) => isAt(output, lock)).map((coin) => ({ coin }));
  const promised = promisedBy(trace, tried);
  const inAsset = (outputs: readonly Output[]): bigint =>
    asset === 'BCH' ? satoshisOf(outputs) : tokensIn(outputs.map((coin) => ({ coin })));
  const paid = promised.map(({ to, amount }) => ({
    amount,
    got: inAsset(spend.outputs.filter((output) => isAt(output, to))),
  }));
  // What signers may take: their own payouts, and at the end the dust beside the thread.
  const own = sum(attempt.pays.map(({ amount }) => amount)) - sum(promised.map(({ amount }) => amount));
  const dust = after.thread === null ? thread.valueSatoshis : 0n;
  const isBch = asset === 'BCH';
  const lost = isBch
    ? thread.valueSatoshis - satoshisOf(kept) - (after.thread === null ? DUST : 0n)
    : tokensIn(reserves.map(([, coin]) => ({ coin }))) - tokensIn([...idle, ...made]);
  return {
    pool: lost - own - sum(paid.map(({ got, amount }) => (got < amount ? got : amount))),
    satoshis: isBch ? 0n : thread.valueSatoshis - satoshisOf(kept) - dust,
    short: sum(paid.map(({ got, amount }) => (got < amount ? amount - got : 0n))),
  };
};
