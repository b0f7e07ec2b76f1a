/** What can be wrong with the money alone: the reserve skimmed, replaced or opened, payouts short or elsewhere. */
import { binToHex, hexToBin } from '@bitauth/libauth';
import { called, DUST, fungible, nft, OTHER, owned, plain, TOKEN } from '../../harness/coins.js';
import { outsider, owner, recipient } from '../../harness/parties.js';
import { changeOutput, type Input, type Output, type Spend } from '../../harness/spend.js';
import { swap } from '../mutation.js';
import type { Random } from '../random.js';
import { fit, TOKEN_RULES, type Fault } from './fault.js';
import { reserveAt, reserveInputs, thief, type Legit, type Scene } from './scene.js';

const isAt = ({ lockingBytecode }: Output, lock: Uint8Array): boolean =>
  Buffer.compare(lockingBytecode, lock) === 0;

const withAmount = (output: Output, amount: bigint): Output => ({
  ...output,
  token: { category: hexToBin(TOKEN), amount },
});

const withOutputs = (spend: Spend, outputs: readonly Output[]): Spend => fit({ ...spend, outputs }, thief);
const withOutput = (spend: Spend, at: number, output: Output): Spend =>
  withOutputs(
    spend,
    spend.outputs.map((before, index) => (index === at ? output : before)),
  );

const otherTokens = (amount: bigint): Input =>
  owned('other tokens', thief, fungible(thief.lock, amount, OTHER));

/** An output in another token, which the thief has; what it held goes to him. */
const inOtherToken = (spend: Spend, at: number): Spend => {
  const output = spend.outputs[at] as Output;
  const amount = output.token?.amount ?? 0n;
  const token = { category: hexToBin(OTHER), amount };
  return fit(
    { ...changeOutput(spend, at, { token }), inputs: [...spend.inputs, otherTokens(amount)] },
    thief,
  );
};

/** The reserve at output 1: less in it, elsewhere, in another token, in two parts, behind a decoy. */
const reserveFaults = <Terms, State>(
  { covenant, sibling }: Scene<Terms, State>,
  { spend, attempt: { call } }: Legit<State>,
  random: Random,
): Fault[] => {
  const [, reserve] = spend.outputs;
  const contract = reserveAt(covenant);
  if (reserve === undefined || !isAt(reserve, contract.lock)) return [];
  const held = reserve.token?.amount ?? 0n;
  const part = 1n + random.amount(held - 1n);
  const less = part < held ? part : held - 1n;
  const isRefill = call === 'refill';
  const holdsRest = { invariant: 'I5', refusedBy: 'the reserve holds what remains' } as const;
  const isReserve = { invariant: 'I5', refusedBy: 'output 1 is the reserve' } as const;
  const locks: [string, Uint8Array][] = [
    ['a thief', thief.lock],
    ['who pays in', owner.lock],
    ["the sibling's reserve", reserveAt(sibling).lock],
    ['the covenant', covenant.contract.lock],
  ];
  const skimmed = less > 0n ? [less, 1n, held - 1n] : [];
  const decoy = called('decoy', fungible(contract.lock, 1n), contract, 'spend');
  const [thread, ...others] = spend.inputs;
  const behindDecoy = { ...spend, inputs: [thread as Input, decoy, ...others] };
  return [
    ...(isRefill
      ? []
      : [
          ...[...new Set(skimmed)].flatMap((amount): Fault[] =>
            amount <= 0n || amount >= held
              ? []
              : [
                  {
                    name: `${amount} tokens are skimmed from the reserve`,
                    ...holdsRest,
                    spend: withOutput(spend, 1, withAmount(reserve, held - amount)),
                  },
                  {
                    name: `${amount} tokens of the reserve lie behind it`,
                    ...holdsRest,
                    spend: withOutputs(withOutput(spend, 1, withAmount(reserve, held - amount)), [
                      ...spend.outputs.map((output, index) =>
                        index === 1 ? withAmount(reserve, held - amount) : output,
                      ),
                      withAmount(reserve, amount),
                    ]),
                  },
                ],
          ),
          {
            name: 'the reserve holds a token more',
            ...holdsRest,
            spend: withOutput(spend, 1, withAmount(reserve, held + 1n)),
          },
          ...(held > 1n
            ? [
                {
                  name: 'a decoy stands for the reserve, which goes to a thief',
                  ...holdsRest,
                  spend: withOutput(behindDecoy, 1, withAmount(reserve, 1n)),
                },
              ]
            : []),
        ]),
    ...locks.map(([where, lockingBytecode]): Fault => ({
      name: `the reserve goes to ${where}`,
      ...isReserve,
      spend: changeOutput(spend, 1, { lockingBytecode }),
    })),
    {
      name: 'the reserve goes on at the last output',
      ...isReserve,
      spend: withOutputs(spend, [
        ...spend.outputs.slice(0, 1),
        plain(outsider.lock, DUST),
        ...spend.outputs.slice(2),
        reserve,
      ]),
    },
    {
      name: 'the reserve is in another token',
      invariant: 'I5',
      refusedBy: 'the reserve holds the token',
      spend: inOtherToken(spend, 1),
    },
    {
      name: 'the reserve holds no tokens',
      invariant: 'I5',
      refusedBy: 'the reserve holds the token',
      spend: withOutput(spend, 1, plain(reserve.lockingBytecode, reserve.valueSatoshis)),
    },
    {
      name: 'the reserve is an NFT too',
      invariant: 'I5',
      refusedBy: 'the reserve holds the token',
      spend: {
        ...changeOutput(spend, 1, {
          token: {
            category: hexToBin(TOKEN),
            amount: held,
            nft: { capability: 'mutable', commitment: new Uint8Array() },
          },
        }),
        inputs: [...spend.inputs, owned('token nft', thief, nft(thief.lock, '', DUST, TOKEN))],
      },
    },
    {
      name: 'more tokens come out than go in',
      invariant: 'I5',
      refusedBy: TOKEN_RULES,
      spend: fitLast(spend, fungible(thief.lock, part)),
    },
  ];
};

/** One output more, and satoshis for it, but no tokens. */
const fitLast = (spend: Spend, output: Output): Spend => {
  const satoshis = fit(
    { ...spend, outputs: [...spend.outputs, plain(output.lockingBytecode, output.valueSatoshis)] },
    thief,
  );
  return changeOutput(satoshis, spend.outputs.length, output);
};

/** The reserve, or whatever has a token, rides along in a move that pays nothing. */
const passengerFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  { spend, attempt }: Legit<State>,
): Fault[] => {
  if (attempt.opens || attempt.after === null) return [];
  const [thread, ...others] = spend.inputs;
  const second = others[1] ?? owned('a second coin', thief);
  const coins = [others[0], second] as [Input, Input];
  const riders: [string, Input][] = [
    ...reserveInputs(scene).map((input): [string, Input] => ['the reserve', input]),
    [
      'a gift to the reserve',
      called('gift', fungible(reserveAt(scene.covenant).lock, 7n), reserveAt(scene.covenant), 'spend'),
    ],
    ['an NFT', owned('nft', thief, nft(thief.lock, '', DUST, OTHER, 'none'))],
  ];
  const at = (refusedBy: string, rider: [string, Input], inputs: readonly Input[]): Fault => ({
    name: `${rider[0]} rides along`,
    invariant: 'I5',
    refusedBy,
    spend: fit({ ...spend, inputs: [thread as Input, ...inputs] }, thief),
  });
  // Where the ticket must go back, both coins are needed, so that the rider has the one place or a place too many.
  return [
    ...riders.flatMap((rider) => [
      at('input 1 has no token', rider, [rider[1], coins[0]]),
      at('input 2 has no token', rider, [coins[0], rider[1]]),
      at('at most two inputs join', rider, [...coins, rider[1]]),
    ]),
    at(
      'at most two inputs join',
      ['a third coin', owned('a third coin', thief)],
      [...coins, owned('a third coin', thief)],
    ),
  ];
};

/** Where a move pays somebody who does not choose it, and which checks say so. */
type Promised = {
  readonly at: number;
  readonly lock: string | null;
  readonly category: string;
  readonly amount: string;
  /** True where more is refused too. */
  readonly isExact: boolean;
};

/** What a move promises to somebody; null: nothing. */
const promiseOf = <Terms, State>(
  { product, covenant: { asset } }: Scene<Terms, State>,
  { attempt, spend }: Legit<State>,
): Promised | null => {
  const { call, pays } = attempt;
  const [first] = pays;
  if (first === undefined || first.amount <= 0n) return null;
  const at = spend.outputs.findIndex((output) => isAt(output, first.to));
  const isTokens = asset === 'tokens';
  if (product === 'reward-campaign') {
    if (call === 'distribute')
      return {
        at,
        lock: null,
        category: 'the payout is in the token',
        amount: isTokens ? 'the payout is the amount' : 'output 1 pays the amount',
        isExact: true,
      };
    const amount = isTokens ? 'the refund is all tokens that remain' : 'the refund is what remains';
    const lock = 'output 0 goes to the refund address';
    return { at, lock, category: 'the refund is in the token', amount, isExact: false };
  }
  if (call !== 'cancel' && call !== 'pause') return null;
  return {
    at,
    lock: call === 'cancel' ? 'output 0 goes to the recipient' : 'the payout goes to the recipient',
    category: 'the recipient gets the token',
    amount: isTokens ? 'the recipient gets the tokens owed' : 'the recipient gets what is owed',
    isExact: isTokens,
  };
};

const payoutFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  legit: Legit<State>,
  random: Random,
): Fault[] => {
  const promise = promiseOf(scene, legit);
  if (promise === null) return [];
  const { spend, attempt } = legit;
  const { at, lock, category, amount, isExact } = promise;
  const payout = spend.outputs[at] as Output;
  const owed = attempt.pays[0]?.amount ?? 0n;
  const isTokens = scene.covenant.asset === 'tokens';
  const least = isTokens ? 1n : 546n;
  const paying = (value: bigint, name: string): Fault[] => {
    if (value < least) return [];
    const output = isTokens ? withAmount(payout, value) : { ...payout, valueSatoshis: value };
    // What is short of it goes to a thief.
    const taken = owed - value;
    const loot = !isTokens && taken >= 546n ? [plain(thief.lock, taken)] : [];
    const outputs = [...spend.outputs.map((before, index) => (index === at ? output : before)), ...loot];
    return [{ name, invariant: 'I3', refusedBy: amount, spend: withOutputs(spend, outputs) }];
  };
  const short = 1n + random.amount(owed - 1n);
  const changeAt = spend.outputs.findIndex(
    (output, index) => index > at && !isAt(output, payout.lockingBytecode),
  );
  return [
    ...paying(owed - 1n, 'a unit less is paid than is owed'),
    ...paying(owed - short, 'less is paid than is owed'),
    ...(isExact ? paying(owed + 1n, 'a unit more is paid than is owed') : []),
    ...(lock === null
      ? []
      : [
          ...[thief.lock, owner.lock, outsider.lock, recipient.lock, scene.covenant.contract.lock]
            .filter((lockingBytecode) => !isAt(payout, lockingBytecode))
            .map((lockingBytecode): Fault => ({
              name: 'the payout goes to somebody else',
              invariant: 'I3',
              refusedBy: lock,
              spend: changeOutput(spend, at, { lockingBytecode }),
            })),
          ...(changeAt === -1
            ? []
            : [
                {
                  name: 'the payout stands at another output',
                  invariant: 'I3' as const,
                  refusedBy: lock,
                  spend: { ...spend, outputs: swap(spend.outputs, at, changeAt) },
                },
              ]),
        ]),
    ...(isTokens
      ? [
          {
            name: 'the payout is in another token',
            invariant: 'I3' as const,
            refusedBy: category,
            spend: inOtherToken(spend, at),
          },
          {
            name: 'the payout holds no tokens',
            invariant: 'I3' as const,
            refusedBy: category,
            spend: withOutput(spend, at, plain(payout.lockingBytecode, payout.valueSatoshis)),
          },
        ]
      : []),
  ];
};

/** The reserve beside a thread that is not its own, or beside none. */
const robberyFaults = <Terms, State>(scene: Scene<Terms, State>, { spend }: Legit<State>): Fault[] => {
  const [reserve] = reserveInputs(scene);
  const [thread] = spend.inputs;
  if (reserve === undefined || thread === undefined) return [];
  const rob = (first: Input): Spend =>
    fit(
      { ...spend, inputs: [first, reserve, owned('fee', thief)], outputs: [plain(thief.lock, DUST)] },
      thief,
    );
  const token = thread.coin.token as NonNullable<Output['token']>;
  const commitment = binToHex(token.nft?.commitment ?? new Uint8Array());
  const lone = {
    name: 'the reserve is spent without its thread',
    invariant: 'I5',
    refusedBy: 'input 0 carries the thread',
  } as const;
  return [
    { ...lone, input: 1, spend: rob(owned('first', thief)) },
    { ...lone, spend: fit({ ...spend, inputs: [reserve], outputs: [plain(thief.lock, DUST)] }, thief) },
    ...(['none', 'minting'] as const).map((capability): Fault => ({
      ...lone,
      input: 1,
      spend: rob(
        owned('thread', thief, nft(thief.lock, commitment, DUST, binToHex(token.category), capability)),
      ),
    })),
    {
      ...lone,
      refusedBy: 'input 0 is locked by the covenant',
      input: 1,
      spend: rob(owned('thread', thief, nft(thief.lock, commitment, DUST, binToHex(token.category)))),
    },
  ];
};

/** The money goes wrong. */
export const moneyFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  legit: Legit<State>,
  random: Random,
): Fault[] => [
  ...reserveFaults(scene, legit, random),
  ...passengerFaults(scene, legit),
  ...payoutFaults(scene, legit, random),
  ...robberyFaults(scene, legit),
];
