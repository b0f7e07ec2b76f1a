/** Attacks on a push that are the same for every contract that has one: nobody signs, so everybody tries. */
import { hash256, hexToBin } from '@bitauth/libauth';
import type { Attack, AttackName, Move } from '../harness/cases.js';
import {
  DUST,
  FEE,
  fungible,
  nft,
  OTHER,
  owned,
  payment,
  plain,
  reserveCoin,
  reserveLockOf,
  thief,
  TOKEN,
  type Asset,
} from '../harness/coins.js';
import { outsider, recipient } from '../harness/parties.js';
import {
  addInputs,
  addOutputs,
  callAt,
  changeInput,
  changeOutput,
  type Input,
  type Output,
  type Spend,
} from '../harness/spend.js';
import { allows, refuses, type Boundaries, type Parts } from '../boundaries/spend-of.js';

/** Anybody, who brings the coin that pays the fee. */
export const feeCoin = (name = 'fee of anybody'): Input => owned(name, outsider);
const change = (): Output => plain(outsider.lock, FEE - 10_000n);

/** A push beside a boundary, by its name. */
export const edgeOf = (asset: Asset) => (name: string, parts: () => Parts) => ({
  name: `push › ${name}`,
  asset,
  parts,
});

type Paid = Omit<Parts, 'call' | 'inputs' | 'outputs'> & { readonly asset: Asset; readonly amount: bigint };

/** A push as its contract wants it, with a fee coin of anybody and their change. */
export const pushOf = ({ asset, amount, ...parts }: Paid): Parts => {
  const isLast = parts.after === null;
  const token = payment(asset, recipient.lock, amount);
  const emptied = asset === 'tokens' && !isLast && parts.left == null;
  // The last push leaves the thread's satoshis to the recipient, and those of the reserve: both are dust here in tokens.
  const whole = asset === 'BCH' ? parts.before.satoshis : parts.before.satoshis + DUST;
  const payout = isLast || emptied ? { ...token, valueSatoshis: isLast ? whole : DUST } : token;
  return {
    ...parts,
    call: 'push',
    inputs: [feeCoin()],
    outputs: [asset === 'BCH' && !isLast ? token : payout, change()],
  };
};

type Scene = {
  /** Begins with `push › `. */
  readonly name: string;
  readonly asset: Asset;
  readonly parts: () => Parts;
};

const isLastPush = ({ parts }: Scene): boolean => parts().after === null;
const hasReserve = ({ parts }: Scene): boolean => parts().left != null;
const payoutAt = (scene: Scene): number => (isLastPush(scene) ? 0 : 1) + (hasReserve(scene) ? 1 : 0);

const payoutOf = (spend: Spend, scene: Scene): Output => spend.outputs[payoutAt(scene)] as Output;

/** The txid of the fee coin is a category that this transaction may mint: its outpoint has index 0. */
const mintedBy = (spend: Spend): string => spend.inputs.at(-1)?.txid ?? '';

const attacksOf =
  (scene: Scene) =>
  (attack: AttackName, refusedBy: string, name: string, edit: (spend: Spend) => Spend): Attack =>
    refuses(attack, refusedBy, {
      name: `${scene.name} › ${name}`,
      asset: scene.asset,
      parts: scene.parts,
      change: edit,
    });

const toThief = (amount: bigint): Output => fungible(thief.lock, amount);
const nobody = 'the payout goes to the recipient';

/** The last push of a thread and a reserve that hold more than dust, of which its payout has all but so much. */
const heavy =
  (short: bigint) =>
  (spend: Spend): Spend => {
    const thread = spend.inputs[0]?.coin as Output;
    const heavier = changeInput(
      withReserve(spend, (token) => token, 2_000n),
      0,
      { coin: { ...thread, valueSatoshis: 1_500n } },
    );
    return changeOutput(heavier, 0, { valueSatoshis: 3_500n - short });
  };

/** Who is paid, and how much. */
const payouts = (scene: Scene): Attack[] => {
  const { asset } = scene;
  const refused = attacksOf(scene);
  const at = payoutAt(scene);
  const isLast = isLastPush(scene);
  const satoshis = (by: bigint) => (spend: Spend) =>
    changeOutput(spend, at, { valueSatoshis: payoutOf(spend, scene).valueSatoshis + by });
  const tokens = (by: bigint) => (spend: Spend) => {
    const amount = (payoutOf(spend, scene).token?.amount ?? 0n) + by;
    return changeOutput(spend, at, { token: { category: hexToBin(TOKEN), amount } });
  };
  const elsewhere = [
    ['a thief', thief.lock],
    ['a script of the recipient', Uint8Array.from([0x21, ...recipient.publicKey, 0xac])],
    ['a script hash that is the hash of the recipient', p2sh(recipient.hash)],
  ] as const;
  return [
    ...elsewhere.map(([who, lock]) =>
      refused('payout', nobody, `the payout goes to ${who}`, (spend) =>
        changeOutput(spend, at, { lockingBytecode: lock }),
      ),
    ),
    ...(asset === 'BCH'
      ? isLast
        ? [refused('payout', 'the recipient gets the whole rest', 'the payout is 1 short', satoshis(-1n))]
        : [-1n, 1n].map((by) =>
            refused('payout', 'the recipient gets what is due', `the payout is ${by} off`, satoshis(by)),
          )
      : [
          refused('payout', 'the recipient gets the tokens due', 'the payout is a token short', (spend) =>
            addOutputs(tokens(-1n)(spend), toThief(1n)),
          ),
          refused(
            'payout',
            'the recipient gets the tokens due',
            'the payout is a token of a gift more',
            (spend) =>
              tokens(1n)(withReserve(spend, (reserve) => ({ ...reserve, amount: reserve.amount + 1n }))),
          ),
        ]),
    ...(asset === 'tokens' && isLast
      ? [
          refused(
            'skim-value',
            'the recipient gets the whole rest',
            "a satoshi of the thread or its reserve is somebody's",
            satoshis(-1n),
          ),
          refused(
            'skim-value',
            'the recipient gets the whole rest',
            'a satoshi of a heavier thread or reserve is somebody’s',
            heavy(1n),
          ),
        ]
      : []),
  ];
};

function p2sh(hash: Uint8Array): Uint8Array {
  return Uint8Array.from([0xa9, 0x14, ...hash, 0x87]);
}

type ReserveToken = NonNullable<Output['token']>;

/** The spend with another reserve coin at input 1. */
const withReserve = (spend: Spend, edit: (token: ReserveToken) => ReserveToken, satoshis = DUST): Spend => {
  const coin = spend.inputs[1]?.coin;
  if (coin?.token === undefined) throw new Error('no reserve');
  return changeInput(spend, 1, { coin: { ...coin, valueSatoshis: satoshis, token: edit(coin.token) } });
};

/** What the transaction mints is glued to what the contract pays: a fee coin whose outpoint has index 0 mints anything. */
const minted = (scene: Scene): Attack[] => {
  const refused = attacksOf(scene);
  const at = payoutAt(scene);
  const isBch = scene.asset === 'BCH';
  const category = isBch ? 'the payout carries no token' : 'the recipient gets the token';
  const put = (index: number, token: (category: Uint8Array) => ReserveToken) => (spend: Spend) =>
    changeOutput(spend, index, { token: token(hexToBin(mintedBy(spend))) });
  const made = {
    'an NFT of 5 bytes': (id: Uint8Array): ReserveToken => ({
      category: id,
      amount: 0n,
      nft: { capability: 'none', commitment: hexToBin('0100000000') },
    }),
    'a minting NFT': (id: Uint8Array): ReserveToken => ({
      category: id,
      amount: 0n,
      nft: { capability: 'minting', commitment: new Uint8Array() },
    }),
    tokens: (id: Uint8Array): ReserveToken => ({ category: id, amount: 7n }),
  };
  return Object.entries(made).flatMap(([what, token]) => [
    refused('glued', category, `${what} of its own making in the payout`, put(at, token)),
    ...(hasReserve(scene)
      ? [
          refused(
            'other-token',
            'the reserve holds the token',
            `${what} of its own making in the reserve`,
            put(1, token),
          ),
        ]
      : []),
  ]);
};

/** An NFT that somebody left in the reserve with its tokens is glued to what the contract pays. */
const riding = (scene: Scene): Attack[] => {
  if (scene.asset === 'BCH') return [];
  const refused = attacksOf(scene);
  const kinds = ['none', 'mutable', 'minting'] as const;
  const outputs = [
    [payoutAt(scene), 'payout', 'the payout carries no NFT', 'the recipient gets the token'],
    ...(hasReserve(scene)
      ? ([[1, 'reserve', 'the reserve holds no NFT', 'the reserve holds the token']] as const)
      : []),
  ] as const;
  return outputs.flatMap(([index, what, carries, category]) =>
    kinds.map((capability) =>
      refused(
        'glued',
        capability === 'none' ? carries : category,
        `a ${capability} NFT of the reserve in the ${what}`,
        (spend) => {
          const glued = { capability, commitment: hexToBin('05') } as const;
          const brought = withReserve(spend, (token) => ({ ...token, nft: glued }));
          const token = spend.outputs[index]?.token as ReserveToken;
          return changeOutput(brought, index, { token: { ...token, nft: glued } });
        },
      ),
    ),
  );
};

const NO_ROOM = 'at most two inputs join';

/** Who joins: nothing but the reserve and coins of people that carry nothing. */
const joining = (scene: Scene): Attack[] => {
  const { asset } = scene;
  const refused = attacksOf(scene);
  const first = asset === 'BCH' ? 1 : 2;
  const last = 2;
  const isPerson = (at: number): string => `input ${at} is a coin of a person`;
  const hasNone = (at: number): string => `input ${at} has no token`;
  const places = first === last ? [last] : [first, last];
  /** The coin at an input that joins, with what is before it filled by people. */
  const placed = (at: number, coin: Input) => (spend: Spend) => {
    const kept = spend.inputs.slice(0, first);
    const filled = Array.from({ length: at - first }, (_, index) => feeCoin(`fee ${index}`));
    return { ...spend, inputs: [...kept, ...filled, coin] };
  };
  const stray = (spend: Spend): Input => reserveCoin(callAt(spend).contract, 5_000n, 'a passenger');
  const bare = (name: string, lock: Uint8Array): Input => ({
    ...owned(name, outsider),
    coin: plain(lock, FEE),
  });
  const locks = [
    ['of 23 bytes', p2sh(outsider.hash)],
    ['of 35 bytes, as covenants have', reserveLockOf(new Uint8Array(35))],
    ['of 24 bytes', Uint8Array.from([...p2sh(outsider.hash), 0x61])],
    ['of 26 bytes', Uint8Array.from([...outsider.lock, 0x61])],
  ] as const;
  return [
    refused('passenger', NO_ROOM, 'a coin too many joins', (spend) => ({
      ...spend,
      inputs: [
        ...spend.inputs.slice(0, first),
        feeCoin('1'),
        feeCoin('2'),
        ...(asset === 'BCH' ? [feeCoin('3')] : []),
      ],
    })),
    ...places.flatMap((at) => [
      refused('passenger', isPerson(at), `a reserve of the thread rides at input ${at}`, (spend) =>
        addOutputs(placed(at, stray(spend))(spend), toThief(5_000n)),
      ),
      ...locks.map(([what, lock]) =>
        refused('passenger', isPerson(at), `a lock ${what} at input ${at}`, placed(at, bare(what, lock))),
      ),
      refused('passenger', hasNone(at), `tokens of a person at input ${at}`, (spend) =>
        addOutputs(placed(at, owned('tokens', outsider, toThief(9n)))(spend), toThief(9n)),
      ),
      refused(
        'passenger',
        hasNone(at),
        `an NFT of a person at input ${at}`,
        placed(at, owned('nft', outsider, nft(outsider.lock, '', DUST, OTHER, 'none'))),
      ),
    ]),
    ...(asset === 'BCH'
      ? []
      : [
          refused(
            'skim-reserve',
            'input 1 is the reserve',
            "a person's tokens stand in for the reserve",
            (spend) => {
              const token = spend.inputs[1]?.coin.token as ReserveToken;
              const own = owned('own tokens', outsider, fungible(outsider.lock, token.amount));
              return changeInput(spend, 1, own);
            },
          ),
          refused(
            'skim-reserve',
            'input 1 is the reserve',
            'a sibling reserve stands in for the reserve',
            (spend) => {
              const lock = reserveLockOf(Uint8Array.from(hash256(Uint8Array.of(1)).slice(0, 32)));
              const coin = spend.inputs[1]?.coin as Output;
              return changeInput(spend, 1, { coin: { ...coin, lockingBytecode: lock } });
            },
          ),
        ]),
  ];
};

/** What may be taken of satoshis: nothing. */
const satoshis = (scene: Scene): Attack[] => {
  if (isLastPush(scene)) return [];
  const refused = attacksOf(scene);
  if (scene.asset === 'BCH')
    return [
      refused('skim-value', 'output 0 keeps the pool', 'the pool pays the fee', (spend) => ({
        ...changeOutput(spend, 0, { valueSatoshis: (spend.outputs[0]?.valueSatoshis ?? 0n) - 700n }),
        inputs: spend.inputs.slice(0, 1),
      })),
    ];
  const at = payoutAt(scene);
  const keeps = 'output 1 keeps the satoshis of the reserve';
  const held = (before: bigint, after: bigint) => (spend: Spend) =>
    changeOutput(
      withReserve(spend, (token) => token, before),
      1,
      { valueSatoshis: after },
    );
  return [
    refused('skim-reserve', keeps, 'a satoshi of a reserve that has more is taken', held(2_000n, 1_999n)),
    ...(at === 2
      ? [
          refused(
            'too-light',
            'the reserve has satoshis of its own',
            'a reserve of 999 satoshis goes on with them',
            held(999n, 999n),
          ),
        ]
      : []),
    ...[546n, 999n].map((light) =>
      refused(
        'too-light',
        'the payout has satoshis of its own',
        `the payout has ${light} satoshis`,
        (spend) => (at === 1 ? held(light, light)(spend) : changeOutput(spend, at, { valueSatoshis: light })),
      ),
    ),
  ];
};

/** Tokens of the reserve that are somebody else's in the end. */
const reserves = (scene: Scene): Attack[] => {
  if (!hasReserve(scene)) return [];
  const refused = attacksOf(scene);
  const holding = (by: bigint) => (spend: Spend) => {
    const amount = (spend.outputs[1]?.token?.amount ?? 0n) + by;
    return changeOutput(spend, 1, { token: { category: hexToBin(TOKEN), amount } });
  };
  const rest = 'the reserve holds what remains';
  return [
    refused('skim-reserve', rest, 'a gift stays in the reserve', (spend) =>
      holding(1n)(withReserve(spend, (token) => ({ ...token, amount: token.amount + 1n }))),
    ),
    refused('skim-reserve', 'output 1 is the reserve', 'the reserve is left out', (spend) => ({
      ...spend,
      outputs: spend.outputs.filter((_, index) => index !== 1),
    })),
    refused('decoy', rest, 'a decoy at input 1, the true reserve left out', (spend) => {
      const decoy = withReserve(spend, (token) => ({ ...token, amount: 2n }));
      return changeOutput(holding(1n - (spend.outputs[1]?.token?.amount ?? 0n))(decoy), payoutAt(scene), {
        token: { category: hexToBin(TOKEN), amount: 1n },
      });
    }),
  ];
};

/** All that is tried on a push that its contract allows. */
export const pushAttacks = (scene: Scene): Attack[] => [
  ...payouts(scene),
  ...minted(scene),
  ...riding(scene),
  ...joining(scene),
  ...satoshis(scene),
  ...reserves(scene),
];

/** A push with as many people's coins as may join, and as few; with gifts, and with satoshis to spare. */
export const pushMoves = (scene: Scene): Move[] => {
  const { asset, name, parts } = scene;
  const edge = (label: string, edit: (spend: Spend) => Spend): Move =>
    allows({ name: `${name} › ${label}`, asset, parts, change: edit });
  const at = payoutAt(scene);
  const isLast = isLastPush(scene);
  const more = (by: bigint) => (spend: Spend) =>
    changeOutput(spend, at, { valueSatoshis: payoutOf(spend, scene).valueSatoshis + by });
  return [
    // In tokens the payout beside a reserve needs satoshis from somewhere.
    ...(hasReserve(scene)
      ? []
      : [
          edge('no coin of anybody joins', (spend) => ({
            ...spend,
            inputs: spend.inputs.slice(0, -1),
            outputs: spend.outputs.slice(0, -1),
          })),
        ]),
    ...(asset === 'BCH' ? [edge('two coins join', (spend) => addInputs(spend, [feeCoin('second')]))] : []),
    ...(asset === 'tokens' || isLast ? [edge('the payout has satoshis to spare', more(1n))] : []),
    ...(asset === 'tokens'
      ? [
          edge('a gift in the reserve is somebody else’s', (spend) =>
            addOutputs(
              withReserve(spend, (token) => ({ ...token, amount: token.amount + 5n })),
              toThief(5n),
            ),
          ),
        ]
      : []),
    ...(asset === 'tokens' && isLast
      ? [edge('all satoshis of a heavier thread and reserve', heavy(0n))]
      : []),
    ...(hasReserve(scene)
      ? [
          edge('a reserve of 999 satoshis is topped up', (spend) =>
            changeOutput(
              withReserve(spend, (token) => token, 999n),
              1,
              { valueSatoshis: DUST },
            ),
          ),
          edge('the reserve gets a satoshi more', (spend) =>
            changeOutput(spend, 1, { valueSatoshis: DUST + 1n }),
          ),
          edge('a reserve with more satoshis keeps them', (spend) =>
            changeOutput(
              withReserve(spend, (token) => token, 2_000n),
              1,
              { valueSatoshis: 2_000n },
            ),
          ),
        ]
      : []),
    ...(asset === 'tokens' && !isLast
      ? [
          edge('the thread gets a satoshi more', (spend) =>
            changeOutput(spend, 0, { valueSatoshis: DUST + 1n }),
          ),
        ]
      : []),
  ];
};

/** The last push with every number of outputs, and the thread in each of them. */
export const lastPush = ({ name, asset, parts }: Scene): Boundaries => {
  const filled = (count: number) => () => {
    const given = parts();
    const payout = given.outputs?.[0] as Output;
    const small = Array.from({ length: count - 1 }, () => plain(outsider.lock, DUST));
    return { ...given, outputs: [payout, ...small] };
  };
  const leaked = (count: number) => () => {
    const given = filled(count)();
    const outputs = [...given.outputs.slice(0, -1), nft(thief.lock, given.before.state, DUST)];
    return { ...given, outputs };
  };
  return {
    moves: [1, 2, 3, 4, 5].map((count) =>
      allows({ name: `${name} › ${count} outputs`, asset, parts: filled(count) }),
    ),
    attacks: [
      ...[2, 3, 4, 5].map((count) =>
        refuses('leak', `output ${count - 1} has no thread`, {
          name: `${name} › ${count} outputs, the thread in the last`,
          asset,
          parts: leaked(count),
        }),
      ),
      ...[6, 7].map((count) =>
        refuses('leak', 'at most 5 outputs', {
          name: `${name} › ${count} outputs without a thread`,
          asset,
          parts: filled(count),
        }),
      ),
      ...(asset === 'BCH'
        ? (['mutable', 'none'] as const).map((capability) =>
            refuses('leak', 'the payout carries no token', {
              name: `${name} › the thread leaves with the payout, ${capability}`,
              asset,
              parts,
              change: (spend) =>
                changeOutput(spend, 0, {
                  token: {
                    category: spend.inputs[0]?.coin.token?.category as Uint8Array,
                    amount: 0n,
                    nft: { capability, commitment: hexToBin(parts().before.state) },
                  },
                }),
            }),
          )
        : []),
    ],
  };
};
