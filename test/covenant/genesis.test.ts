import test from 'ava';
import fc from 'fast-check';
import type { Outpoint, Output } from '../../src/bch/coins.js';
import { auditGenesis, genesisOutputs, type GenesisMember } from '../../src/covenant/genesis.js';
import { makeTransaction } from './scripted-chain.js';

fc.configureGlobal({ seed: 20_260_601 });

const category = 'aa'.repeat(32);
const tokenCategory = 'cc'.repeat(32);
const other = 'dd'.repeat(32);
const RESERVE_DUST = 1_000n;

const genesis: Outpoint = { txid: category, vout: 0 };
const tokens: Outpoint = { txid: 'ee'.repeat(32), vout: 3 };
const creatorLock = `76a914${'01'.repeat(20)}88ac`;

const lockOf = (number: number): string => `aa20${number.toString(16).padStart(64, '0')}87`;
const reserveLock = (thread: string): string => `aa20${thread.slice(0, 62)}0187`;

const bchMember: GenesisMember = {
  lockingBytecode: lockOf(1),
  commitment: '00ff',
  pool: 3_000_000n,
  token: null,
};
const tokenMember: GenesisMember = {
  lockingBytecode: lockOf(2),
  commitment: '00ee',
  pool: 500n,
  token: { category: tokenCategory, reserveLock },
};
const change: Output = { lockingBytecode: creatorLock, satoshis: 10_000n };
const tokenChange: Output = { ...change, token: { category: tokenCategory, amount: 7n } };

/** The funding that the builder makes, with the creator's change behind. */
const outputsOf = (...members: readonly GenesisMember[]): readonly Output[] => [
  ...genesisOutputs(members, category, RESERVE_DUST),
  change,
];

const audit = (
  outputs: readonly Output[],
  members: readonly GenesisMember[],
  inputs: readonly Outpoint[] = [genesis, tokens],
) => auditGenesis(makeTransaction(inputs, outputs), members);

/** The checks that failed. */
const failed = (...args: Parameters<typeof audit>): readonly string[] =>
  audit(...args)
    .findings.filter(({ ok }) => !ok)
    .map(({ check }) => check);

test('genesis › given a BCH member › the thread carries the pool above its dust', (t) => {
  t.deepEqual(genesisOutputs([bchMember], category, RESERVE_DUST), [
    {
      lockingBytecode: bchMember.lockingBytecode,
      satoshis: 3_001_000n,
      token: { category, amount: 0n, nft: { capability: 'mutable', commitment: '00ff' } },
    },
  ]);
});

test('genesis › given token members › the threads come first, then the reserves', (t) => {
  const outputs = genesisOutputs([tokenMember, bchMember], category, RESERVE_DUST);
  t.deepEqual(
    outputs.map(({ lockingBytecode, satoshis }) => [lockingBytecode, satoshis]),
    [
      [tokenMember.lockingBytecode, 1_000n],
      [bchMember.lockingBytecode, 3_001_000n],
      [reserveLock(category), RESERVE_DUST],
    ],
  );
  t.deepEqual(outputs[2]?.token, { category: tokenCategory, amount: 500n });
});

test('audit › given a sound funding › it gives the thread', (t) => {
  const transaction = makeTransaction([genesis], outputsOf(bchMember));
  const { ok, threads } = auditGenesis(transaction, [bchMember]);
  t.true(ok);
  t.deepEqual(threads, [{ category, txid: transaction.txid, vout: 0, commitment: '00ff' }]);
});

test('audit › given other outputs before the thread › it is found where it stands', (t) => {
  const { ok, threads } = audit([change, tokenChange, ...outputsOf(bchMember)], [bchMember]);
  t.true(ok);
  t.is(threads[0]?.vout, 2);
});

type Change = (outputs: readonly Output[]) => readonly Output[];

const alter =
  (index: number, change_: (output: Output) => Output): Change =>
  (outputs) =>
    outputs.map((output, at) => (at === index ? change_(output) : output));
const without =
  (index: number): Change =>
  (outputs) =>
    outputs.filter((_, at) => at !== index);
const withMore =
  (...more: readonly Output[]): Change =>
  (outputs) => [...outputs, ...more];
const nftOf =
  (nft: Partial<NonNullable<NonNullable<Output['token']>['nft']>>, amount = 0n) =>
  (output: Output): Output => ({
    ...output,
    token: {
      category,
      amount,
      nft: { capability: 'mutable', commitment: bchMember.commitment, ...nft },
    },
  });
const holding =
  (amount: bigint, of = tokenCategory) =>
  (output: Output): Output => ({ ...output, token: { category: of, amount } });

const threadAgain = outputsOf(bchMember)[0] ?? change;
const reserveAgain = outputsOf(tokenMember)[1] ?? change;
const nft = { capability: 'none', commitment: '' } as const;

/** One deviation each, and the checks that find it. */
const deviations: readonly (readonly [
  name: string,
  member: GenesisMember,
  change: Change,
  checks: readonly string[],
])[] = [
  ['no thread', bchMember, without(0), ['thread']],
  [
    'a thread at another covenant',
    bchMember,
    alter(0, (o) => ({ ...o, lockingBytecode: lockOf(9) })),
    ['thread'],
  ],
  ['a wrong commitment', bchMember, alter(0, nftOf({ commitment: '00fe' })), ['thread']],
  ['a longer commitment', bchMember, alter(0, nftOf({ commitment: '00ff00' })), ['thread']],
  ['an immutable thread', bchMember, alter(0, nftOf({ capability: 'none' })), ['thread']],
  ['a minting thread', bchMember, alter(0, nftOf({ capability: 'minting' })), ['thread']],
  ['a token amount on the thread', bchMember, alter(0, nftOf({}, 5n)), ['thread']],
  ['a second thread at the covenant', bchMember, withMore(threadAgain), ['nothing else of the category']],
  [
    'a twin of the thread with another state',
    bchMember,
    withMore(nftOf({ commitment: '0000' })(threadAgain)),
    ['nothing else of the category'],
  ],
  [
    'a minting NFT kept by the creator',
    bchMember,
    withMore(nftOf({ capability: 'minting', commitment: '' })(change)),
    ['nothing else of the category'],
  ],
  [
    'a mutable NFT kept by the creator',
    bchMember,
    withMore(nftOf({})(change)),
    ['nothing else of the category'],
  ],
  [
    'an immutable NFT of the category',
    bchMember,
    withMore(nftOf({ capability: 'none', commitment: '' })(change)),
    ['nothing else of the category'],
  ],
  [
    'a fungible amount of the category',
    bchMember,
    withMore(holding(5n, category)(change)),
    ['nothing else of the category'],
  ],
  [
    'a pool that is short by one',
    bchMember,
    alter(0, (o) => ({ ...o, satoshis: o.satoshis - 1n })),
    ['pool'],
  ],
  ['a pool that is over by one', bchMember, alter(0, (o) => ({ ...o, satoshis: o.satoshis + 1n })), ['pool']],
  ['a reserve that is short by one', tokenMember, alter(1, holding(499n)), ['pool']],
  ['a reserve that is over by one', tokenMember, alter(1, holding(501n)), ['pool']],
  ['no reserve', tokenMember, without(1), ['pool']],
  [
    'two reserves that make up the pool',
    tokenMember,
    (outputs) => withMore(holding(200n)(reserveAgain))(alter(1, holding(300n))(outputs)),
    ['pool'],
  ],
  [
    'a second output at the reserve without tokens',
    tokenMember,
    withMore({ lockingBytecode: reserveLock(category), satoshis: 1_000n }),
    ['pool'],
  ],
  [
    'an NFT in the reserve',
    tokenMember,
    alter(1, (o) => ({ ...o, token: { category: tokenCategory, amount: 500n, nft } })),
    ['pool'],
  ],
  ['another token in the reserve', tokenMember, alter(1, holding(500n, other)), ['pool']],
  [
    'a reserve at another address',
    tokenMember,
    alter(1, (o) => ({ ...o, lockingBytecode: reserveLock(other) })),
    ['pool'],
  ],
  [
    "the pool in the creator's own output",
    tokenMember,
    alter(1, (o) => ({ ...o, lockingBytecode: creatorLock })),
    ['pool'],
  ],
];

for (const [name, member, change_, checks] of deviations) {
  test(`audit › given ${name} › it fails at ${checks.join(' and ')}`, (t) => {
    const outputs = change_(outputsOf(member));
    t.deepEqual(failed(outputs, [member]), checks);
    t.like(audit(outputs, [member]), { ok: false, threads: [] });
  });
}

const wrongInputs: readonly (readonly [name: string, inputs: readonly Outpoint[]])[] = [
  ['a category that was not minted here', [tokens]],
  ['a category whose transaction is spent at another index', [{ txid: category, vout: 1 }, tokens]],
];

for (const [name, inputs] of wrongInputs) {
  test(`audit › given ${name} › it fails at minted here`, (t) => {
    t.deepEqual(failed(outputsOf(bchMember), [bchMember], inputs), ['minted here']);
  });
}

test('audit › given the genesis coin at a later input › it is minted here all the same', (t) => {
  t.true(audit(outputsOf(bchMember), [bchMember], [tokens, genesis]).ok);
});

test('audit › given a foreign NFT at the covenant before the thread › it is refused', (t) => {
  const decoy = { ...threadAgain, token: { category: other, amount: 0n, nft } };
  t.false(audit([decoy, ...outputsOf(bchMember)], [bchMember]).ok);
});

test('audit › given one thread for two members with the same covenant › it is refused', (t) => {
  const members = [bchMember, bchMember];
  t.true(failed(outputsOf(bchMember), members).includes('thread'));
});

test('audit › given a batch in which one member lacks its thread › no thread is given', (t) => {
  const members = [bchMember, tokenMember];
  const result = audit(without(1)(outputsOf(...members)), members);
  t.like(result, { ok: false, threads: [] });
});

test('audit › given a batch in which one pool is short › the others do not make up for it', (t) => {
  const second = { ...bchMember, lockingBytecode: lockOf(3) };
  const members = [bchMember, second];
  const shift: Change = (outputs) =>
    alter(0, (o) => ({ ...o, satoshis: o.satoshis + 1n }))(
      alter(1, (o) => ({ ...o, satoshis: o.satoshis - 1n }))(outputs),
    );
  t.deepEqual(failed(shift(outputsOf(...members)), members), ['pool', 'pool']);
});

test('audit › given any finding › it says in words what was found', (t) => {
  const { findings } = audit(outputsOf(tokenMember), [tokenMember]);
  t.deepEqual(
    findings.map(({ check }) => check),
    ['minted here', 'thread', 'nothing else of the category', 'pool'],
  );
  t.true(findings.every(({ detail }) => detail.length > 10));
});

const members = fc
  .array(
    fc.record({
      commitment: fc
        .uint8Array({ minLength: 1, maxLength: 40 })
        .map((bytes) => Buffer.from(bytes).toString('hex')),
      pool: fc.bigInt({ min: 1n, max: 1_000_000_000n }),
      hasToken: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((drafts) =>
    drafts.map(({ commitment, pool, hasToken }, index): GenesisMember => ({
      lockingBytecode: lockOf(index),
      commitment,
      pool,
      token: hasToken
        ? { category: tokenCategory, reserveLock: (thread) => `aa20${thread.slice(0, 62)}0${index}87` }
        : null,
    })),
  );

test('audit › property › it accepts what the builder promises, whatever stands around it', (t) => {
  const around = fc.shuffledSubarray([change, tokenChange]);
  const inputs = fc.shuffledSubarray([genesis, tokens], { minLength: 2 });
  fc.assert(
    fc.property(members, around, around, inputs, (given, before, behind, spent) => {
      const outputs = [...before, ...genesisOutputs(given, category, RESERVE_DUST), ...behind];
      const { ok, threads } = audit(outputs, given, spent);
      t.true(ok);
      t.deepEqual(
        threads.map(({ vout, commitment }) => ({ vout, commitment })),
        given.map(({ commitment }, index) => ({ vout: before.length + index, commitment })),
      );
    }),
  );
});

test('audit › property › it refuses a funding from which any promised output is missing', (t) => {
  fc.assert(
    fc.property(members, fc.nat(), (given, pick) => {
      const outputs = genesisOutputs(given, category, RESERVE_DUST);
      t.false(audit(without(pick % outputs.length)([...outputs]), given).ok);
    }),
  );
});
