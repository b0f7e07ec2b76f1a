/** Valid spends of the covenants that hold a pool, from random terms in random states. */
import { hexToBin, type Output } from '@bitauth/libauth';
import fc from 'fast-check';
import {
  called,
  DUST,
  fungible,
  nft,
  OTHER,
  owned,
  plain,
  reserveOf,
  THREAD,
  TOKEN,
} from '../harness/coins.js';
import { authority, outsider, owner, recipient, signers } from '../harness/parties.js';
import { FINAL, type Input, type Spend } from '../harness/spend.js';
import { spendOf, type Order } from '../invariants/covenant.js';
import { coinsAt, type Coin } from '../invariants/chain.js';
import { judge } from '../invariants/oracle.js';
import { PRODUCTS, type ProductName, type Story, type Trace, type Tried } from '../invariants/trace.js';
import { rowsOf, watch } from '../invariants/world.js';
import type { Base } from './base.js';
import type { Random } from './random.js';

const FIELDS: Readonly<Record<ProductName, readonly number[]>> = {
  'reward-campaign': [1, 8, 4],
  'budget-plan': [1, 1, 5, 5, 20, 1],
  stream: [1, 8, 5, 5, 20, 1],
  'recurring-payment': [1, 5, 4, 8, 20, 1],
};

const [attacker] = signers;

const ROLES = { creator: owner, controller: owner, sender: owner, authority } as const;

const inputOf = ({ txid, vout, coin }: Coin, template: Input): Input => ({ ...template, txid, vout, coin });

/** What an attacker adds: own coins, gifts to the covenant, coins of a sibling. */
const strangeInputs = (trace: Trace<unknown>, { spend, chain, before }: Tried<unknown>): Input[] => {
  const { contract } = trace.covenant;
  const { category } = before;
  const reserve = reserveOf(contract, category);
  const siblingReserve = reserveOf(trace.sibling.contract, category);
  const [first] = spend.inputs;
  if (first === undefined || 'key' in first.unlock) throw new Error('no call at input 0');
  const { call, args } = first.unlock;
  const state = first.coin.token?.nft?.commitment ?? new Uint8Array();
  const hex = Buffer.from(state).toString('hex');
  const forged = (name: string, coin: Output): Input => called(name, coin, contract, call, args);
  const amount =
    spend.inputs.find(({ coin }) => (coin.token?.amount ?? 0n) > 0n)?.coin.token?.amount ?? 5_000n;
  const sibling = (coin: Coin): Input =>
    inputOf(coin, called('sibling', coin.coin, trace.sibling.contract, call, args));
  return [
    owned('spare', attacker, plain(attacker.lock, 100_000n)),
    owned('spare tokens', attacker, fungible(attacker.lock, amount)),
    owned('other tokens', attacker, fungible(attacker.lock, amount, OTHER)),
    called('decoy', fungible(reserve.lock, 1n), reserve, 'spend'),
    called('second decoy', fungible(reserve.lock, amount), reserve, 'spend'),
    called('other decoy', fungible(reserve.lock, amount, OTHER), reserve, 'spend'),
    called('stray', plain(reserve.lock, DUST), reserve, 'spend'),
    forged('forged', nft(contract.lock, hex, first.coin.valueSatoshis, OTHER)),
    forged('forged, another', nft(contract.lock, hex, DUST, THREAD, 'minting')),
    forged('forged, plain', plain(contract.lock, 50_000n)),
    ...coinsAt(chain, reserve.lock).map((coin) => inputOf(coin, called('', coin.coin, reserve, 'spend'))),
    ...coinsAt(chain, siblingReserve.lock).map((coin) =>
      inputOf(coin, called('', coin.coin, siblingReserve, 'spend')),
    ),
    ...coinsAt(chain, trace.sibling.contract.lock).map(sibling),
  ];
};

/** The reserve of a spend as two coins that anyone could have put there, somewhere behind the thread. */
const splitReserve = (spend: Spend, reserveLock: Uint8Array, random: Random): Spend => {
  const at = spend.inputs.findIndex(({ coin }) => Buffer.compare(coin.lockingBytecode, reserveLock) === 0);
  const whole = spend.inputs[at];
  const amount = whole?.coin.token?.amount ?? 0n;
  if (whole === undefined || amount < 2n) return spend;
  const part = 1n + random.amount(amount - 2n);
  const bounded = part >= amount ? amount - 1n : part;
  const coin = (share: bigint): Output => ({
    ...whole.coin,
    token: { category: hexToBin(TOKEN), amount: share },
  });
  const halves = [
    { ...whole, coin: coin(bounded) },
    { ...whole, vout: whole.vout + 77, coin: coin(amount - bounded) },
  ];
  const others = spend.inputs.filter((_, index) => index !== at);
  const [thread, ...behind] = others;
  if (thread === undefined) return spend;
  const inputs = random.once(2) ? [thread, ...behind, ...halves] : [thread, ...halves, ...behind];
  return { ...spend, inputs };
};

const outputsWorthAdding = (trace: Trace<unknown>, tried: Tried<unknown>): Output[] => {
  const { contract } = trace.covenant;
  const { category } = tried.before;
  const [thread] = tried.spend.inputs;
  const state = Buffer.from(thread?.coin.token?.nft?.commitment ?? []).toString('hex');
  return [
    plain(attacker.lock, 10_000n),
    fungible(attacker.lock, 1n),
    nft(attacker.lock, state, DUST, category),
    nft(contract.lock, state, DUST, category),
    nft(contract.lock, state, DUST, category, 'minting'),
    nft(trace.sibling.contract.lock, state, DUST, category),
    nft(attacker.lock, '', DUST, category, 'none'),
    fungible(reserveOf(contract, category).lock, 1n),
  ];
};

const baseOf = (
  name: ProductName,
  terms: unknown,
  [trace, tried]: readonly [Trace<unknown>, Tried<unknown>],
  random: Random,
): Base => {
  const { covenant, sibling } = trace;
  const { chain, before, attempt } = tried;
  const { category } = before;
  const reserve = reserveOf(covenant.contract, category);
  const siblingReserve = reserveOf(sibling.contract, category);
  const isSplit = covenant.asset === 'tokens' && attempt.opens && attempt.isPush !== true && random.once(4);
  const spend = isSplit ? splitReserve(tried.spend, reserve.lock, random) : tried.spend;
  const rows = rowsOf(name, terms);
  const watched = [covenant, sibling].map((each, index) =>
    watch(each, { name: index === 0 ? name : `sibling ${name}`, category, rows, chain }),
  );
  const [own, other] = watched;
  if (own === undefined || other === undefined) throw new Error('nothing is watched');
  const reserveNow = new Map(
    spend.inputs
      .filter(({ coin }) => Buffer.compare(coin.lockingBytecode, reserve.lock) === 0)
      .map(({ txid, vout, coin }) => [`${txid}:${vout}`, coin.token?.amount ?? 0n]),
  );
  const state = before.state as { readonly recipient?: string };
  const holder = [recipient, outsider].find(
    ({ hash }) => Buffer.from(hash).toString('hex') === state.recipient,
  );
  const stateNow = spend.inputs[0]?.coin.token?.nft?.commitment ?? new Uint8Array();
  const remaining = covenant.remaining(before.state);
  return {
    contract: isSplit ? 'token-reserve' : name,
    call: isSplit ? 'spend' : attempt.call,
    asset: covenant.asset,
    spend,
    isValid: tried.accepted !== null,
    medianTime: chain.medianTime,
    attacker,
    roles: { ...ROLES, recipient: holder ?? recipient },
    calls: covenant.contract.artifact.abi.map(({ name: call, inputs }) => ({
      call,
      inputs: inputs.map((input) => input.name),
    })),
    locks: [
      attacker.lock,
      attacker.lock,
      owner.lock,
      recipient.lock,
      outsider.lock,
      covenant.contract.lock,
      reserve.lock,
      sibling.contract.lock,
      siblingReserve.lock,
    ],
    categories: [category, TOKEN, OTHER],
    commitments: [
      stateNow,
      hexToBin(covenant.encode(covenant.first)),
      hexToBin(covenant.encode(tried.after.state)),
    ],
    fields: FIELDS[name],
    amounts: [
      1n,
      546n,
      DUST,
      remaining,
      ...attempt.pays.map(({ amount }) => amount).filter((amount) => amount > 0n),
    ],
    times: [0, 1, 900_000, ...covenant.boundaries(before.state), chain.medianTime - 1].filter(
      (time) => time >= 0,
    ),
    inputs: strangeInputs(trace, tried),
    outputs: outputsWorthAdding(trace, tried),
    isCareless: false,
    mostHostile: 3,
    judge: (judged) => judge([{ ...own, reserve: isSplit ? reserveNow : own.reserve }, other], judged),
  };
};

/** The same move as of a time to come, with sequences that put the locktime out of force. */
const inFuture = (
  trace: Trace<unknown>,
  tried: Tried<unknown>,
  order: Order,
  random: Random,
): Tried<unknown> => {
  const { covenant } = trace;
  const { chain, before } = tried;
  const later = chain.medianTime + 1 + random.integer(Math.max(covenant.span.to - covenant.span.from, 1) * 2);
  const attempt = covenant.attempt(before.state, order, later);
  const spend = spendOf(chain, covenant, before, attempt, later);
  const inputs = spend.inputs.map((input) => ({ ...input, sequence: FINAL }));
  return { ...tried, attempt, spend: { ...spend, inputs }, accepted: null };
};

/** All that one random story of a product tries, each as a base, and each as of a time to come. */
export const poolBases = (name: ProductName, seed: number, random: Random): Base[] => {
  const product = PRODUCTS[name] as unknown as {
    readonly anyStory: fc.Arbitrary<Story<unknown>>;
    readonly run: (story: unknown) => Trace<unknown>;
  };
  const [story] = fc.sample(product.anyStory, { numRuns: 1, seed });
  if (story === undefined) return [];
  const trace = product.run(story);
  return trace.tried
    .flatMap((tried, index) => {
      const order = story.steps[index]?.order;
      return order === undefined ? [tried] : [tried, inFuture(trace, tried, order, random)];
    })
    .map((tried) => baseOf(name, story.terms, [trace, tried], random));
};
