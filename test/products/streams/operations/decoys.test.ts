/** What strangers send to a reserve decides nothing: not which coins are spent, not how many, not whether it succeeds. */
import test from 'ava';
import { alice, bob, mallory, type Person } from '../../../../fixtures/people.js';
import { parseAddress } from '../../../../src/bch/address.js';
import { plainCoins } from '../../../../src/bch/coins.js';
import { buildPayment } from '../../../../src/bch/payment.js';
import { toLibauthOutput } from '../../../../src/bch/transaction.js';
import { decodeWalletTransaction, encodeWalletTransaction } from '../../../../src/bch/wallet-transaction.js';
import { reserveContract } from '../../../../src/covenant/reserve.js';
import { streamCollection } from '../../../../src/products/streams/index.js';
import { atLength } from '../../../at-length.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { advance, DAY, fundStream, type StreamHandle } from '../stream.js';

const DECOYS = atLength(900, 90);
const PER_SEND = DECOYS / 2;
const NFT = { capability: 'none', commitment: '' } as const;

/** A token of which alice has 1000.00, mallory some, and bob an immutable NFT without a commitment. */
const mintWithNft = async (treasury: Treasury): Promise<string> => {
  await treasury.give(alice, 3_000_000n);
  const payer = treasury.addressOf(alice);
  const coins = await treasury.app.context.chain.coins(payer.lockingBytecode);
  const [genesis] = plainCoins(coins).filter(({ vout }) => vout === 0);
  const category = genesis?.txid ?? '';
  const to = (who: Person, amount: bigint, nft?: typeof NFT) => ({
    lockingBytecode: treasury.addressOf(who).lockingBytecode,
    satoshis: 1_000n,
    token: { category, amount, ...(nft === undefined ? {} : { nft }) },
  });
  const outputs = [to(alice, 100_000n), to(mallory, 10_000n), to(bob, 0n, NFT)];
  const { transaction, sourceOutputs } = buildPayment({
    payer,
    coins,
    outputs,
    requiredCoins: genesis === undefined ? [] : [genesis],
  });
  const unsigned = { transaction, sourceOutputs: [...sourceOutputs], broadcast: false };
  await treasury.send(alice, encodeWalletTransaction(unsigned));
  await treasury.ask(alice, 'tokens.add', { category, symbol: 'GEMS', decimals: 2 });
  return category;
};

const reserveOf = async ({ app }: Treasury, { id }: StreamHandle) => {
  const stream = await app.context.store.get(streamCollection, id);
  const { lockingBytecode } = parseAddress(stream?.contract_address ?? '');
  return reserveContract(stream?.thread?.category ?? '', lockingBytecode, 'local').address;
};

/** bob's claim, with his NFT glued to what stays in the reserve. */
const claimWithGlue = async (treasury: Treasury, { id }: StreamHandle, category: string): Promise<void> => {
  const { lockingBytecode } = treasury.addressOf(bob);
  const coins = await treasury.app.context.chain.coins(lockingBytecode);
  const glue = coins.find(({ token }) => token?.category === category && token.nft !== undefined);
  if (glue === undefined) throw new Error('bob has no NFT');
  const built = await treasury.ask(bob, 'streams.claim', { id });
  const { transaction, sourceOutputs } = decodeWalletTransaction(built['wcTransaction']);
  const input = {
    outpointTransactionHash: Uint8Array.from(Buffer.from(glue.txid, 'hex')),
    outpointIndex: glue.vout,
    sequenceNumber: transaction.inputs[0]?.sequenceNumber ?? 0,
    unlockingBytecode: new Uint8Array(),
  };
  const outputs = transaction.outputs.map((output, index) =>
    index === 1 && output.token !== undefined
      ? {
          ...output,
          token: { ...output.token, nft: { capability: 'none' as const, commitment: new Uint8Array() } },
        }
      : output,
  );
  const txHash = await treasury.send(
    bob,
    encodeWalletTransaction({
      transaction: { ...transaction, inputs: [...transaction.inputs, input], outputs },
      sourceOutputs: [...sourceOutputs, { ...input, ...toLibauthOutput(glue) }],
      broadcast: false,
    }),
  );
  await treasury.ask(bob, 'streams.confirm-claim', { id, txHash });
};

/** mallory's decoys: one unit each, without any NFT. */
const sendDecoys = async (treasury: Treasury, lockingBytecode: string, category: string): Promise<void> => {
  await treasury.give(mallory, 5_000_000n);
  const decoy = { lockingBytecode, satoshis: 1_000n, token: { category, amount: 1n } };
  for (let sent = 0; sent < DECOYS; sent += PER_SEND) {
    const outputs = Array.from({ length: PER_SEND }, () => decoy);
    await treasury.payAnywhere(mallory, outputs);
  }
};

for (const [verb, who, inputs] of [
  ['claim', bob, 3],
  ['cancel', alice, 4],
] as const) {
  test(`decoys › given 900 of them, and an NFT glued to the reserve › ${verb} spends the reserve alone`, async (t) => {
    const treasury = await openTreasury(t);
    await treasury.give(bob, 1_000_000n);
    const category = await mintWithNft(treasury);
    const stream = await fundStream(treasury, {
      tokenType: 'CASHTOKENS',
      tokenCategory: category,
      totalAmount: '100',
    });
    await advance(treasury, 20 * DAY);
    await claimWithGlue(treasury, stream, category);
    const reserve = await reserveOf(treasury, stream);
    const { chain } = treasury.app.context;
    const [own] = await chain.coins(reserve.lockingBytecode);
    t.deepEqual(own?.token?.nft, NFT, 'the reserve carries the NFT');
    await sendDecoys(treasury, reserve.lockingBytecode, category);
    t.is((await chain.coins(reserve.lockingBytecode)).length, DECOYS + 1);

    // The thread, the reserve, a fee coin; for the cancellation a ticket too.
    await advance(treasury, 10 * DAY);
    const moved = await chain.transaction(await stream.move(who, verb));
    t.true((moved?.transaction.inputs.length ?? Infinity) <= inputs);
    if (verb === 'claim') await stream.move(alice, 'cancel');
    t.like(await stream.shown(), { status: 'CANCELLED', thread: null });
    const total = (await treasury.tokensOf(alice, category)) + (await treasury.tokensOf(bob, category));
    t.is(total, 100_000n, 'not one unit of the stream is lost');
    t.is((await chain.coins(reserve.lockingBytecode)).length, DECOYS, 'the decoys stay where they were sent');
  });
}
