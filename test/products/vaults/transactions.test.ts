import { binToHex, encodeTransaction } from '@bitauth/libauth';
import test from 'ava';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, dave } from '../../../fixtures/people.js';
import { sumSatoshis, sumTokens, type Coin, type Output } from '../../../src/bch/coins.js';
import { TreasuryError } from '../../../src/errors.js';
import { signTransaction } from '../../acceptance/wallet.js';
import { encodeWalletTransaction, decodeWalletTransaction } from '../../../src/bch/wallet-transaction.js';
import { vaultContract } from '../../../src/products/vaults/contract.js';
import { completeSpend, readSignatures, requestFor } from '../../../src/products/vaults/signing.js';
import {
  buildVaultSpend,
  EMPTY_SIGNATURE,
  FILLER_SIGNATURE,
  INPUT_SIZES,
  unsignedTxid,
  type SpendTerms,
} from '../../../src/products/vaults/transactions.js';
import { sortCoins } from '../../../src/products/vaults/coins.js';
import type { VaultRecord } from '../../../src/products/vaults/vault.js';
import { signers } from './vault.js';

const network = 'local' as const;
const terms = {
  artifact_fingerprint: newestFingerprint('vault'),
  on_chain_vault_id: '11'.repeat(32),
  signers: signers.map((signer) => signer.address(network).text),
  signer_pubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
};
const { address, lockingBytecode } = vaultContract(terms, network);
const vault: VaultRecord = {
  id: 'v',
  label: null,
  ...terms,
  name: 'Common funds',
  creator: alice.address(network).text,
  viewers: [],
  total_deposit: 0n,
  is_public: true,
  contract_address: address.text,
  constructor_params: [],
  status: 'active',
  tx_hash: null,
  genesis_satoshis: null,
  last_tx_hash: null,
  thread: null,
  spends: 0,
  balance: 0n,
  spendable: 0n,
  stuck: 0n,
  tokens: [],
  created_at: 0,
  updated_at: 0,
  own_label: null,
  own_note: null,
};

let count = 0;
const coin = (satoshis: bigint, token?: Coin['token']): Coin => ({
  txid: (count += 1).toString(16).padStart(64, '0'),
  vout: 0,
  satoshis,
  lockingBytecode,
  height: 1,
  ...(token === undefined ? {} : { token }),
});
const category = 'ab'.repeat(32);
const threadCategory = 'cd'.repeat(32);
const threadCoin = (satoshis: bigint, commitment = '0107000000'): Coin =>
  coin(satoshis, { category: threadCategory, amount: 0n, nft: { capability: 'mutable', commitment } });
const pay = (satoshis: bigint): Output => ({
  lockingBytecode: dave.address(network).lockingBytecode,
  satoshis,
});
const payTokens = (amount: bigint): Output => ({ ...pay(1_000n), token: { category, amount } });

const build = (plan: Pick<SpendTerms, 'payments' | 'thread' | 'coins'>) =>
  buildVaultSpend({ vault, network, ...plan });

test('the sizes that inputs are counted with are those that they have', (t) => {
  const { transaction } = build({
    payments: [pay(14_000n)],
    thread: threadCoin(1_000n),
    coins: [coin(10_000n), coin(10_000n)],
  });
  const sizeOf = (index: number) => {
    const one = transaction.inputs[index];
    const inputs = one === undefined ? [] : [one];
    const empty = encodeTransaction({ ...transaction, inputs: [] }).length;
    return encodeTransaction({ ...transaction, inputs }).length - empty;
  };
  t.is(sizeOf(0), INPUT_SIZES.spend);
  t.is(sizeOf(1), INPUT_SIZES.join);
  t.is(sizeOf(2), INPUT_SIZES.join);
});

test('the thread moves first, one spend on, and what it held beyond its dust leaves it', (t) => {
  const thread = threadCoin(50_000n);
  const { inputs, outputs } = build({ payments: [pay(20_000n)], thread, coins: [coin(9_000n)] });
  t.deepEqual(inputs, [thread]);
  t.is(outputs[0]?.token?.nft?.commitment, '0108000000');
  t.is(outputs[0]?.satoshis, 1_000n);
  t.deepEqual(outputs[1], pay(20_000n));
  t.is(outputs[2]?.lockingBytecode, lockingBytecode);
});

test('what goes in comes out: the payments, the change into the vault, and the fee', (t) => {
  const { inputs, outputs, fee } = build({
    payments: [pay(20_000n), pay(7_000n)],
    thread: threadCoin(10_000n),
    coins: [coin(9_000n), coin(5_000n), coin(30_000n)],
  });
  t.is(inputs.length, 2, 'the largest coins, as few as suffice');
  t.is(sumSatoshis(inputs), sumSatoshis(outputs) + fee);
});

test('tokens are paid out of as few coins as suffice, and the rest comes back', (t) => {
  const { inputs, outputs } = build({
    payments: [payTokens(70n)],
    thread: threadCoin(10_000n),
    coins: [coin(1_000n, { category, amount: 30n }), coin(1_000n, { category, amount: 60n })],
  });
  t.is(sumTokens(inputs, category), 90n);
  const back = outputs.filter((output) => output.lockingBytecode === lockingBytecode);
  t.is(sumTokens(back, category), 20n);
});

test('a coin that holds an NFT beside the tokens is paid from last, and the NFT comes back', (t) => {
  const nft = { capability: 'none', commitment: 'c0ffee' } as const;
  const laden = coin(1_000n, { category, amount: 30n, nft });
  const clean = coin(1_000n, { category, amount: 2n });
  const few = build({ payments: [payTokens(1n)], thread: threadCoin(10_000n), coins: [laden, clean] });
  t.false(few.inputs.includes(laden));
  const many = build({ payments: [payTokens(9n)], thread: threadCoin(10_000n), coins: [laden, clean] });
  t.true(many.inputs.includes(laden));
  const back = many.outputs.filter((output) => output.lockingBytecode === lockingBytecode);
  t.is(sumTokens(back, category), 23n);
  t.deepEqual(
    back.map(({ token }) => token?.nft?.commitment).filter((commitment) => commitment !== undefined),
    ['0108000000', 'c0ffee'],
  );
});

test('too little › the error says what is needed, and exactly that suffices', (t) => {
  const plan = { thread: threadCoin(1_000n), coins: [coin(10_000n)] };
  const error = t.throws(() => build({ ...plan, payments: [pay(10_000n)] }), { instanceOf: TreasuryError });
  t.is(error.code, 'insufficient_funds');
  const missing = Math.round((Number(error.details['needed']) - Number(error.details['available'])) * 1e8);
  t.notThrows(() => build({ ...plan, payments: [pay(10_000n - BigInt(missing))] }));
  t.throws(() => build({ ...plan, payments: [pay(10_001n - BigInt(missing))] }));
});

test('without a free thread, a plain coin is input 0', (t) => {
  const { inputs, outputs } = build({ payments: [pay(2_000n)], thread: null, coins: [coin(10_000n)] });
  t.is(inputs.length, 1);
  t.deepEqual(outputs[0], pay(2_000n));
});

/** Five bytes each, and what the contract of the newest and of the first version makes of a coin that carries them. */
const KINDS = [
  ['mutable', '0107000000', 'alike', 'alike'],
  ['mutable', '0100000000', 'alike', 'alike'],
  ['mutable', '01feffff7f', 'alike', 'alike'],
  ['mutable', '01ffffff7f', 'free', 'stuck'],
  ['mutable', '0100000080', 'free', 'alike'],
  ['mutable', '01ffffffff', 'free', 'alike'],
  ['mutable', '0207000000', 'free', 'alike'],
  ['mutable', '01070000', 'free', 'free'],
  ['mutable', '010700000000', 'free', 'free'],
  ['none', '0107000000', 'free', 'stuck'],
  ['none', '01ffffff7f', 'free', 'stuck'],
  ['minting', '0107000000', 'free', 'alike'],
  ['minting', '01ffffff7f', 'free', 'stuck'],
] as const;

const firstTerms = { ...terms, artifact_fingerprint: null };
const VERSIONS = [
  ['newest', vault],
  ['first', { ...vault, ...firstTerms, contract_address: vaultContract(firstTerms, network).address.text }],
] as const;

for (const [version, owner] of VERSIONS) {
  const lock = vaultContract(owner, network).lockingBytecode;
  const at = (one: Coin): Coin => ({ ...one, lockingBytecode: lock });

  for (const [capability, commitment, newest, first] of KINDS) {
    const expected = version === 'newest' ? newest : first;
    test(`the ${version} version › ${capability} ${commitment} is ${expected}, and moves unless it is stuck`, (t) => {
      const odd = at(
        coin(500_000n, { category: 'ee'.repeat(32), amount: 40n, nft: { capability, commitment } }),
      );
      const sorted = sortCoins(owner, [odd]);
      const { free, alike, stuck } = sorted;
      t.deepEqual(
        [free.length, alike.length, stuck.length],
        [Number(expected === 'free'), Number(expected === 'alike'), Number(expected === 'stuck')],
      );
      // Its satoshis and its tokens, with the thread beside it.
      const thread = at(threadCoin(1_000n));
      const payments = [pay(450_000n), { ...pay(1_000n), token: { category: 'ee'.repeat(32), amount: 30n } }];
      const plan = { vault: owner, network, payments, thread, coins: free, alike } as const;
      if (expected === 'stuck') {
        t.throws(() => buildVaultSpend(plan), { instanceOf: TreasuryError });
        return;
      }
      const built = buildVaultSpend(plan);
      t.true(built.inputs.includes(odd));
      t.is(sumTokens(built.outputs, 'ee'.repeat(32)), 40n);
      t.true(
        built.outputs.some(({ token }) => token?.nft !== undefined && token.category === 'ee'.repeat(32)),
      );
      t.is(runs(owner, built), true);
    });
  }
}

test('coins like the thread › no two of them move at once', (t) => {
  const alike = [coin(60_000n), coin(90_000n)].map((one, index) => ({
    ...one,
    token: {
      category: `${index}e`.repeat(32),
      amount: 0n,
      nft: { capability: 'mutable' as const, commitment: '0100000000' },
    },
  }));
  const plan = {
    vault,
    network,
    thread: threadCoin(1_000n),
    coins: [coin(5_000n)],
    alike,
  };
  t.is(buildVaultSpend({ ...plan, payments: [pay(80_000n)] }).inputs[0], alike[1]);
  t.throws(() => buildVaultSpend({ ...plan, payments: [pay(120_000n)] }), { instanceOf: TreasuryError });
  t.is(buildVaultSpend({ ...plan, payments: [pay(2_000n)] }).inputs[0], plan.thread);
});

/** True when the VM runs a spend that signers 1 and 2 have signed. */
const runs = (owner: VaultRecord, built: ReturnType<typeof buildVaultSpend>): boolean => {
  const spend = {
    label: '#SPEND-0001',
    coins: [...built.inputs],
    outputs: [...built.outputs],
    unsigned_txid: unsignedTxid(built.transaction),
    signatures: [] as { signer: string; public_key: string; signature: string; signed_at: number }[],
  };
  for (const signer of signers.slice(0, 2)) {
    const name = signer.address(network).text;
    const { transaction, sourceOutputs } = requestFor({ vault: owner, network, spend }, name);
    const raw = signTransaction(
      encodeWalletTransaction({ transaction, sourceOutputs: [...sourceOutputs], broadcast: false }),
      signer,
    );
    const found = readSignatures({ vault: owner, network, spend }, raw).find((one) => one.signer === name);
    if (found === undefined) return false;
    spend.signatures.push({ ...found, signed_at: 0 });
  }
  return completeSpend({ vault: owner, network, spend }).length > 0;
};

const spendOf = () => {
  const built = build({
    payments: [pay(20_000n)],
    thread: threadCoin(10_000n),
    coins: [coin(15_000n), coin(9_000n)],
  });
  const unsigned = unsignedTxid(built.transaction);
  return {
    label: '#SPEND-0001',
    coins: [...built.inputs],
    outputs: [...built.outputs],
    unsigned_txid: unsigned,
    signatures: [],
  };
};

const pairs = signers.flatMap((first) =>
  signers.filter((second) => second !== first).map((second) => [first, second] as const),
);
for (const [first, second] of pairs) {
  test(`${first.name} signs and then ${second.name} › each wallet fills one slot, and the VM accepts`, (t) => {
    const spend = spendOf();
    let signing = { vault, network, spend: { ...spend, signatures: [] as never[] } } as Parameters<
      typeof completeSpend
    >[0];
    for (const [index, signer] of [first, second].entries()) {
      const name = signer.address(network).text;
      const request = requestFor(signing, name);
      const input = binToHex(request.transaction.inputs[0]?.unlockingBytecode ?? new Uint8Array());
      t.is(input.split(EMPTY_SIGNATURE).length - 1, 1, 'one placeholder');
      t.is(input.includes(FILLER_SIGNATURE), index === 0, 'filler until the other has signed');
      t.is(unsignedTxid(request.transaction), spend.unsigned_txid);

      const { transaction, sourceOutputs } = request;
      const wire = encodeWalletTransaction({
        transaction,
        sourceOutputs: [...sourceOutputs],
        broadcast: false,
      });
      const raw = signTransaction(wire, signer);
      const found = readSignatures(signing, raw);
      const fresh = found.filter(
        ({ signer: who }) => !signing.spend.signatures.some((known) => known.signer === who),
      );
      t.deepEqual(
        fresh.map(({ signer: who }) => who),
        [name],
      );
      signing = {
        ...signing,
        spend: {
          ...signing.spend,
          signatures: [...signing.spend.signatures, ...fresh.map((one) => ({ ...one, signed_at: 0 }))],
        },
      };
      // The second wallet completes it: what it gives back is what is broadcast.
      if (index === 1) t.is(completeSpend(signing), raw);
      t.truthy(decodeWalletTransaction(wire));
    }
  });
}
