/** I13: what a covenant pays to a party can be spent by that party alone in the next transaction, without asking anyone. */
import { binToHex, hexToBin, sha256, utf8ToBin } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { loadArtifact } from '../../../src/covenant/artifact.js';
import { campaignState } from '../../../src/products/rewards/state.js';
import { atLength } from '../../at-length.js';
import { bind, replaceArtifact, type Argument, type Bound } from '../harness/bound.js';
import {
  ASSETS,
  called,
  categoryOf,
  DUST,
  feeFrom,
  fungible,
  nft,
  NOW,
  OTHER,
  owned,
  payment,
  plain,
  reserveCoin,
  TOKEN,
  type Asset,
} from '../harness/coins.js';
import { authority, outsider, owner, recipient, signers, type Party } from '../harness/parties.js';
import { buildTransaction, IN_FORCE, type Input, type Output, type Spend } from '../harness/spend.js';
import { vaultLayout } from '../vault.cases.js';
import { verify } from './chain.js';
import { acceptedIn, everyTrace, PRODUCT_NAMES } from './every-trace.js';

const [one, two, three] = signers;
const BY_ONE_AND_TWO: Argument[] = [one.publicKey, { sign: one }, two.publicKey, { sign: two }];

const spendOf = (inputs: readonly Input[], outputs: readonly Output[]): Spend => ({
  inputs,
  outputs,
  locktime: 0,
  chainTime: NOW,
});

const isAccepted = (spend: Spend): boolean => {
  const built = buildTransaction(spend);
  const [earlier, now] = [verify(built, '2025'), verify(built, '2026')];
  if ((earlier === 'accepted') !== (now === 'accepted')) throw new Error(`${earlier} and ${now}`);
  return now === 'accepted';
};

const PEOPLE: readonly Party[] = [owner, recipient, authority, outsider];

const isAt = ({ lockingBytecode }: Output, lock: Uint8Array): boolean =>
  Buffer.compare(lockingBytecode, lock) === 0;

for (const product of PRODUCT_NAMES) {
  test(`I13 › ${product} › given any accepted move › whoever it pays spends that next, with coins of their own alone`, (t) => {
    let spent = 0;
    everyTrace(
      product,
      (trace) => {
        for (const { accepted, spend } of acceptedIn(trace)) {
          spend.outputs.forEach((coin, vout) => {
            const by = PEOPLE.find(({ lock }) => isAt(coin, lock));
            if (by === undefined) return;
            const input: Input = {
              txid: accepted?.txid ?? '',
              vout,
              coin,
              unlock: { key: by },
              sequence: IN_FORCE,
            };
            const onward =
              coin.token === undefined ? plain(by.lock, DUST) : fungible(by.lock, coin.token.amount);
            if (!isAccepted(spendOf([input, feeFrom(by)], [onward])))
              throw new Error(`output ${vout} is out of ${by.name}'s reach`);
            spent += 1;
          });
        }
      },
      8,
    );
    t.true(spent > atLength(20, 6), `${spent}`);
  });
}

const vaultOf = (name: string): Bound =>
  bind('vault', [sha256.hash(utf8ToBin(name)), one.publicKey, two.publicKey, three.publicKey]);

const anyByte = fc.nat({ max: 255 });
/** Five bytes: near the state of a thread, or anything. */
const anyState = fc.record({
  version: fc.constantFrom(0, 1, 1, 1, 2, 0x81),
  count: fc.oneof(
    fc.constantFrom(0, 1, 7, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff),
    fc.nat({ max: 2 ** 31 - 1 }),
    fc.integer({ min: 2 ** 31, max: 2 ** 32 - 1 }),
  ),
});
const stateBytes = ({ version, count }: { version: number; count: number }): Uint8Array => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(version, 0);
  bytes.writeUInt32LE(count, 1);
  return Uint8Array.from(bytes);
};

/** A coin that anybody may have sent: any category, capability and commitment, with or without an amount beside it. */
const anyRider = fc.record({
  category: fc.constantFrom(TOKEN, OTHER),
  amount: fc.constantFrom(0n, 1n, 2n ** 63n - 1n),
  capability: fc.constantFrom('none', 'mutable', 'minting', null),
  commitment: fc.oneof(
    { weight: 3, arbitrary: anyState.map(stateBytes) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    { weight: 1, arbitrary: anyByte.map((byte) => Uint8Array.of(1, byte, 0, 0, 0)) },
  ),
});

/** What the contract's head says of a thread, in other words than the contract. */
const isLikeThread = (coin: Output): boolean => {
  const { capability, commitment } = coin.token?.nft ?? {};
  if (capability !== 'mutable' || commitment?.length !== 5) return false;
  const state = vaultLayout.decode(binToHex(commitment));
  return state !== null && state.version === 1 && state.spends < 2 ** 31 - 1;
};

const coinWith = (
  lock: Uint8Array,
  rider: typeof anyRider extends fc.Arbitrary<infer R> ? R : never,
): Output => {
  const { category, amount, capability, commitment } = rider;
  const token = { category: hexToBin(category), amount: capability === null && amount === 0n ? 5n : amount };
  return {
    lockingBytecode: lock,
    valueSatoshis: 500_000n,
    token: capability === null ? token : { ...token, nft: { capability, commitment } },
  };
};

/** The coin one spend on, in the place where the contract wants it. */
const onward = ({ lockingBytecode, token }: Output): Output => {
  const state = vaultLayout.decode(binToHex(token?.nft?.commitment ?? new Uint8Array()));
  const next = vaultLayout.encode({ version: 1, spends: (state?.spends ?? 0) + 1 });
  return nft(lockingBytecode, next, DUST, binToHex(token?.category ?? new Uint8Array()));
};

/** Two signers move a coin of their vault: at input 0, and unless it leads like the thread, beside another and beside the thread. */
const reach = (vault: Bound, coin: Output): Readonly<Record<string, boolean>> => {
  const out = plain(outsider.lock, 400_000n);
  const isLike = isLikeThread(coin);
  const odd = (call: string, args: readonly Argument[] = []) => called('odd', coin, vault, call, args);
  const thread = nft(vault.lock, vaultLayout.encode({ version: 1, spends: 7 }), DUST, 'd4'.repeat(32));
  const lead = (name: string, one: Output) => called(name, one, vault, 'spend', BY_ONE_AND_TWO);
  return {
    'at input 0': isAccepted(
      spendOf([odd('spend', BY_ONE_AND_TWO), feeFrom(outsider)], [...(isLike ? [onward(coin)] : []), out]),
    ),
    ...(isLike
      ? {}
      : {
          'beside another coin': isAccepted(
            spendOf([lead('plain', plain(vault.lock, 90_000n)), odd('join')], [out]),
          ),
          'beside the thread': isAccepted(
            spendOf([lead('thread', thread), odd('join'), feeFrom(outsider)], [onward(thread), out]),
          ),
        }),
  };
};

test('I13 › vault › given a coin with anything glued to it › two signers move it', (t) => {
  const vault = vaultOf('any coin');
  let [like, unlike] = [0, 0];
  fc.assert(
    fc.property(anyRider, (rider) => {
      const coin = coinWith(vault.lock, rider);
      for (const [where, isMoved] of Object.entries(reach(vault, coin)))
        if (!isMoved) throw new Error(`it does not move ${where}`);
      if (isLikeThread(coin)) like += 1;
      else unlike += 1;
    }),
    { seed: 20_261_121, numRuns: atLength(300, 100) },
  );
  t.true(like > atLength(20, 6) && unlike > atLength(100, 33), `${like} like the thread, ${unlike} unlike`);
});

/** A cancelled campaign whose refund is due to a vault, with an immutable NFT of five bytes glued to it, or not. */
const cancelToVault = (asset: Asset, vault: Bound, isGlued: boolean): Spend => {
  const pool = 500_000n;
  const campaign = bind('reward-campaign', [
    sha256.hash(utf8ToBin('a campaign of the vault')),
    owner.hash,
    authority.hash,
    vault.lock,
    categoryOf(asset),
    pool,
    pool,
    BigInt(NOW - 1_000),
  ]);
  const state = campaignState.encode({ status: 0, distributed: 0n, count: 0 });
  const thread = nft(campaign.lock, state, DUST + (asset === 'BCH' ? pool : 0n));
  const category = asset === 'BCH' ? OTHER : TOKEN;
  const refund = payment(asset, vault.lock, pool);
  const glue = { capability: 'none', commitment: hexToBin('0100000000') } as const;
  const glued: Output = {
    ...refund,
    token: { category: hexToBin(category), amount: refund.token?.amount ?? 0n, nft: glue },
  };
  return spendOf(
    [
      called('thread', thread, campaign, 'cancel', [owner.publicKey, { sign: owner }]),
      ...(asset === 'BCH' ? [] : [reserveCoin(campaign, pool)]),
      owned('an NFT', owner, nft(owner.lock, '', DUST, category, 'minting')),
      feeFrom(owner),
    ],
    [isGlued ? glued : refund, plain(owner.lock, DUST)],
  );
};

for (const asset of ASSETS) {
  test.serial(
    `I13 › reward-campaign (${asset}) › given a refund to a vault with an NFT glued to it › it is refused, and would move`,
    (t) => {
      const vault = vaultOf('refunded');
      t.true(isAccepted(cancelToVault(asset, vault, false)));
      const frozen = cancelToVault(asset, vault, true);
      t.false(isAccepted(frozen));
      const [coin] = frozen.outputs;
      if (coin === undefined) throw new Error('no refund');
      t.deepEqual(Object.values(reach(vault, { ...coin, valueSatoshis: 500_000n })), [true, true, true]);
    },
  );

  test.serial(
    `I13 › reward-campaign (${asset}) › given the contracts of the first version › the glue holds, and the refund is frozen`,
    (t) => {
      for (const name of ['vault', 'reward-campaign'] as const)
        replaceArtifact(name, loadArtifact(name, null));
      t.teardown(() => {
        for (const name of ['vault', 'reward-campaign'] as const) replaceArtifact(name, null);
      });
      const vault = vaultOf('refunded');
      const frozen = cancelToVault(asset, vault, true);
      t.true(isAccepted(frozen));
      const [coin] = frozen.outputs;
      if (coin === undefined) throw new Error('no refund');
      t.deepEqual(Object.values(reach(vault, { ...coin, valueSatoshis: 500_000n })), [false, false, false]);
    },
  );
}
