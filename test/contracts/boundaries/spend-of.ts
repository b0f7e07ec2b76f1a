/** Spends of a covenant at the edges of its rules: every part is given, and nothing is derived from the product. */
import { hexToBin } from '@bitauth/libauth';
import type { Argument, Bound } from '../harness/bound.js';
import type { Attack, AttackName, Move } from '../harness/cases.js';
import {
  called,
  DUST,
  fungible,
  nft,
  NOW,
  OTHER,
  owned,
  plain,
  reserveCoin,
  reserveOutput,
  thief,
  TOKEN,
  type Asset,
} from '../harness/coins.js';
import { outsider, owner } from '../harness/parties.js';
import { addInputs, changeOutput, type Input, type Output, type Spend } from '../harness/spend.js';

/** A coin that carries a thread: its commitment (hex) and its satoshis. */
export type Carried = { readonly state: string; readonly satoshis: bigint };

export type Parts = {
  readonly contract: Bound;
  readonly call: string;
  readonly args: readonly Argument[];
  readonly before: Carried;
  /** Null: the thread ends. */
  readonly after: Carried | null;
  /** Tokens in the reserve, and those that stay in it; null where there is none. */
  readonly reserve?: bigint | null;
  readonly left?: bigint | null;
  /** Behind the thread and the reserve. */
  readonly inputs?: readonly Input[];
  readonly outputs?: readonly Output[];
  /** Locktime, unix seconds. */
  readonly now?: number;
};

/** Satoshis enough that no case depends on a fee. */
export const PURSE = 1_000_000n;
export const purse = (more = 0n): Input =>
  owned('purse', owner, plain(owner.lock, PURSE + (more > 0n ? more : 0n)));
/** Tokens from elsewhere. */
export const tokens = (amount: bigint): Input => owned('tokens', outsider, fungible(outsider.lock, amount));
export const small = (): Output => plain(outsider.lock, DUST);

/** The covenant's thread, its reserve and whatever else, at a second that the chain has passed. */
export const spendOf = (parts: Parts): Spend => {
  const { contract, call, args, before, after, reserve = null, left = null, now = NOW } = parts;
  const { inputs = [purse()], outputs = [small()] } = parts;
  return {
    inputs: [
      called('thread', nft(contract.lock, before.state, before.satoshis), contract, call, args),
      ...(reserve === null ? [] : [reserveCoin(contract, reserve)]),
      ...inputs,
    ],
    outputs: [
      ...(after === null ? [] : [nft(contract.lock, after.state, after.satoshis)]),
      ...(left === null ? [] : [reserveOutput(contract, left)]),
      ...outputs,
    ],
    locktime: now,
    chainTime: Math.max(now, NOW) + 1,
  };
};

type Edge = {
  readonly name: string;
  readonly asset: Asset;
  readonly parts: () => Parts;
  /** What is done to the spend before it is signed. */
  readonly change?: (spend: Spend) => Spend;
};

const buildOf =
  ({ parts, change = (spend) => spend }: Edge) =>
  (): Spend =>
    change(spendOf(parts()));

/** An edge that is allowed. Its attacks are written out: nothing is derived from it. */
export const allows = (edge: Edge): Move => ({
  name: edge.name,
  asset: edge.asset,
  kind: 'other',
  build: buildOf(edge),
});

/** An edge that is refused. */
export const refuses = (attack: AttackName, refusedBy: string, edge: Edge): Attack => ({
  attack,
  name: `${edge.name} (${edge.asset})`,
  build: buildOf(edge),
  refusedBy,
});

export type Boundaries = { readonly moves: readonly Move[]; readonly attacks: readonly Attack[] };
export const joinAll = (all: readonly Boundaries[]): Boundaries => ({
  moves: all.flatMap(({ moves }) => moves),
  attacks: all.flatMap(({ attacks }) => attacks),
});

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const manySmall = (count: number): Output[] => Array.from({ length: count }, small);

/** An end that owes nobody: with every number of outputs, plain ones and with the thread as the last. */
export const endsWith = (name: string, asset: Asset, parts: () => Parts): Boundaries => {
  const leaked = (): Output => nft(thief.lock, parts().before.state, DUST);
  return {
    moves: upTo(5).map((count) =>
      allows({
        name: `${name} › ${count} outputs`,
        asset,
        parts: () => ({ ...parts(), outputs: manySmall(count) }),
      }),
    ),
    attacks: [
      ...upTo(5).map((count) =>
        refuses('leak', `output ${count - 1} has no thread`, {
          name: `${name} › ${count} outputs, the thread in the last`,
          asset,
          parts: () => ({ ...parts(), outputs: [...manySmall(count - 1), leaked()] }),
        }),
      ),
      ...[6, 7].map((count) =>
        refuses('leak', 'at most 5 outputs', {
          name: `${name} › ${count} outputs without a thread`,
          asset,
          parts: () => ({ ...parts(), outputs: manySmall(count) }),
        }),
      ),
    ],
  };
};

/** What a coin that rides along can carry: tokens, or an NFT without any. */
const RIDERS: readonly (readonly [string, () => Input])[] = [
  ['tokens', () => tokens(5_000n)],
  ['an NFT', () => owned('nft', outsider, nft(outsider.lock, '', DUST, OTHER, 'none'))],
];

const fee = (index: number): Input => owned(`fee ${index}`, outsider);
const fees = (count: number): Input[] => upTo(count).map(fee);

/** A function that pays nothing: with every number of inputs, plain ones and with a token in the last. */
export const keepsWith = (name: string, asset: Asset, parts: () => Parts): Boundaries => ({
  moves: upTo(3).map((count) =>
    allows({
      name: `${name} › ${count} inputs`,
      asset,
      parts: () => ({ ...parts(), inputs: fees(count - 1), outputs: [] }),
    }),
  ),
  attacks: [
    refuses('passenger', 'at most two inputs join', {
      name: `${name} › 4 inputs without a token`,
      asset,
      parts: () => ({ ...parts(), inputs: fees(3) }),
    }),
    ...RIDERS.flatMap(([what, rider]) =>
      [2, 3].map((count) =>
        refuses('passenger', `input ${count - 1} has no token`, {
          name: `${name} › ${count} inputs, ${what} in the last`,
          asset,
          parts: () => ({ ...parts(), inputs: [...fees(count - 2), rider()] }),
        }),
      ),
    ),
  ],
});

/** The first locktime that is a time. */
export const FIRST_TIME = 500_000_000;
/** A date that four signed bytes do not hold. */
export const LATE = 3_000_000_000;
/** Amounts with something in their highest byte, of which three are still an amount: in satoshis there are not more. */
export const LARGE: Readonly<Record<Asset, bigint>> = {
  BCH: 600_000_000_012_345n,
  tokens: 2n ** 61n + 2n ** 56n + 12_345n,
};

/** A function that asks for a time: at its first second, and at the block height before it. */
export const asksForTime = (name: string, asset: Asset, parts: (now: number) => Parts): Boundaries => ({
  moves: [
    allows({
      name: `${name} › at the first second that is a time`,
      asset,
      parts: () => ({ ...parts(FIRST_TIME), now: FIRST_TIME }),
    }),
  ],
  attacks: [
    refuses('block-height', 'the locktime is a time', {
      name: `${name} › at the last block height`,
      asset,
      parts: () => ({ ...parts(FIRST_TIME - 1), now: FIRST_TIME - 1 }),
    }),
  ],
});

/** A move that leaves a reserve: with a unit more in it than there should be, or none of it. */
export const keepsReserve = (name: string, parts: () => Parts): Attack[] => [
  refuses('skim-reserve', 'the reserve holds what remains', {
    name: `${name} › the reserve holds 1 more`,
    asset: 'tokens',
    parts: () => ({
      ...parts(),
      left: (parts().left ?? 0n) + 1n,
      inputs: [purse(), tokens(1n)],
    }),
  }),
  refuses('skim-reserve', 'output 1 is the reserve', {
    name: `${name} › the reserve is left out`,
    asset: 'tokens',
    parts: () => ({ ...parts(), left: null }),
  }),
];

/** The thread's satoshis, where the pool is not in them: more may be put in, and none taken, whatever lies at input 1. */
export const keepsSatoshis = (name: string, parts: () => Parts): Boundaries => {
  const holding = (before: bigint, after: bigint) => () => {
    const given = parts();
    const next = given.after ?? given.before;
    return {
      ...given,
      before: { ...given.before, satoshis: before },
      after: { ...next, satoshis: after },
    };
  };
  return {
    moves: [
      allows({
        name: `${name} › satoshis are added to the thread`,
        asset: 'tokens',
        parts: holding(1_000n, 1_700n),
      }),
    ],
    attacks: [
      refuses('skim-value', 'output 0 keeps its satoshis', {
        name: `${name} › a satoshi is taken from a thread that holds more than its reserve`,
        asset: 'tokens',
        parts: holding(1_500n, 1_499n),
      }),
    ],
  };
};

const withInput = (spend: Spend, input: Input): Spend => addInputs(spend, [input]);
const tokenNft = (commitment: string): Output => nft(outsider.lock, commitment, DUST, TOKEN, 'none');

/** The spend with an NFT of the pool's category glued to an output that carries tokens. */
const glueNft = (spend: Spend, at: number): Spend => {
  const token = spend.outputs[at]?.token;
  if (token === undefined) throw new Error(`output ${at} carries no token`);
  const glued = { token: { ...token, nft: { capability: 'none', commitment: Uint8Array.of(1) } } } as const;
  return withInput(changeOutput(spend, at, glued), owned('nft', outsider, tokenNft('01')));
};

/** The spend with a token glued to an output that should carry none. */
const glueTokens = (spend: Spend, at: number): Spend =>
  withInput(changeOutput(spend, at, { token: { category: hexToBin(TOKEN), amount: 1n } }), tokens(1n));
const glueBareNft = (spend: Spend, at: number): Spend =>
  withInput(
    changeOutput(spend, at, {
      token: {
        category: hexToBin(OTHER),
        amount: 0n,
        nft: { capability: 'none', commitment: Uint8Array.of(1) },
      },
    }),
    owned('nft', outsider, nft(outsider.lock, '01', DUST, OTHER, 'none')),
  );

type Pinned = Edge & { readonly at: number; readonly what: string; readonly attack: AttackName };

/** An output that is promised whole (rule 17): with a token or an NFT glued to it, a satoshi below what it needs, and above. */
export const pins = ({ name, asset, parts, at, what, attack }: Pinned): Boundaries => {
  const edge = (label: string, change: (spend: Spend) => Spend): Edge => ({
    name: `${name} › ${what} ${label}`,
    asset,
    parts,
    change,
  });
  const holding = (satoshis: bigint) => (spend: Spend) =>
    changeOutput(spend, at, { valueSatoshis: satoshis });
  if (asset === 'BCH') {
    const refusedBy = `${what} carries no token`;
    return {
      moves: [],
      attacks: [
        refuses(
          attack,
          refusedBy,
          edge('has tokens glued to it', (spend) => glueTokens(spend, at)),
        ),
        refuses(
          attack,
          refusedBy,
          edge('has an NFT glued to it', (spend) => glueBareNft(spend, at)),
        ),
      ],
    };
  }
  const verb = what === 'the reserve' ? 'holds' : 'carries';
  return {
    moves: [allows(edge('has satoshis to spare', holding(1_001n)))],
    attacks: [
      refuses(
        attack,
        `${what} ${verb} no NFT`,
        edge('has an NFT glued to it', (spend) => glueNft(spend, at)),
      ),
      refuses(attack, `${what} has satoshis of its own`, edge('is a satoshi below dust', holding(999n))),
    ],
  };
};
