/** A funding that mints a twin of a thread, and a file that calls it another stream of the batch. */
import { z } from 'zod';
import test from 'ava';
import { hash256, hexToBin, binToHex } from '@bitauth/libauth';
import type { Unlocker } from 'cashscript';
import { bob, mallory } from '../../../fixtures/people.js';
import { addressOf, parseAddress } from '../../../src/bch/address.js';
import { plainCoins } from '../../../src/bch/coins.js';
import { buildPayment } from '../../../src/bch/payment.js';
import { encodeWalletTransaction } from '../../../src/bch/wallet-transaction.js';
import { genesisOutputs, type GenesisMember } from '../../../src/covenant/genesis.js';
import { RESERVE_DUST, reserveContract } from '../../../src/covenant/reserve.js';
import { buildSpend, type UnsignedTransaction } from '../../../src/covenant/spend.js';
import { threadOutput } from '../../../src/covenant/thread.js';
import type { DeploymentsFile } from '../../../src/products/deployments/index.js';
import { offerClaim } from '../../../src/products/streams/operations/claim.js';
import { readState, streamState } from '../../../src/products/streams/state.js';
import { StreamRecord } from '../../../src/products/streams/stream.js';
import { firstState } from '../../../src/products/streams/transactions.js';
import { openTreasury, type Treasury } from '../../treasury.js';
import { advance, DAY, terms } from '../streams/stream.js';
import { createVault } from '../streams/vault.js';

/** An address that anybody can spend from: as good as mallory's own, and of the size that a reserve asks for. */
const REDEEM = Uint8Array.of(0x51);
const THIEF_LOCK = `aa20${binToHex(hash256(REDEEM))}87`;
const thiefUnlocker: Unlocker = {
  generateLockingBytecode: () => hexToBin(THIEF_LOCK),
  generateUnlockingBytecode: () => Uint8Array.of(REDEEM.length, ...REDEEM),
};

type Finding = { readonly check: string; readonly ok: boolean; readonly detail: string };

const lockOf = (address: string): string => parseAddress(address).lockingBytecode;

/** What a funding mints at an address for a stream. */
const memberAt = (lockingBytecode: string, stream: StreamRecord): GenesisMember => ({
  lockingBytecode,
  commitment: firstState(stream),
  pool: stream.total_amount,
  token: {
    category: stream.token_category ?? '',
    reserveLock: (thread) => reserveContract(thread, lockingBytecode, 'local').lockingBytecode,
  },
});

const sendAs = (
  treasury: Treasury,
  {
    transaction,
    sourceOutputs,
  }: Pick<UnsignedTransaction, 'transaction'> & { sourceOutputs: readonly unknown[] },
) =>
  treasury.send(
    mallory,
    encodeWalletTransaction({
      transaction,
      sourceOutputs: [...sourceOutputs] as UnsignedTransaction['sourceOutputs'],
      broadcast: false,
    }),
  );

/** mallory's batch: 100 tokens for bob, 1 for herself. Nothing is funded yet. */
const openBatch = async (treasury: Treasury) => {
  for (let coin = 0; coin < 4; coin += 1) await treasury.give(mallory, 5_000_000n);
  const category = await treasury.mint(mallory, '1000', 2);
  await treasury.give(mallory, 5_000_000n);
  const vaultId = await createVault(treasury);
  await treasury.ask(mallory, 'streams.batch-create', {
    vaultId,
    senderAddress: treasury.addressOf(mallory).text,
    tokenType: 'FUNGIBLE_TOKEN',
    tokenCategory: category,
    entries: [
      { ...terms, recipient: treasury.addressOf(bob).text, totalAmount: '100' },
      { ...terms, recipient: treasury.addressOf(mallory).text, totalAmount: '1' },
    ],
  });
  const file = JSON.parse(JSON.stringify(await treasury.ask(null, 'deployments.export'))) as DeploymentsFile;
  const [first, second] = (file.records['streams'] ?? []).map((row) => z.decode(StreamRecord, row as never));
  if (first === undefined || second === undefined) throw new Error('the batch has two streams');
  return { category, file, first, second };
};

/** mallory funds the first stream as it should be, and a second thread at her own address. */
const fundTwin = async (treasury: Treasury, first: StreamRecord, second: StreamRecord) => {
  const payer = treasury.addressOf(mallory);
  const coins = await treasury.app.context.chain.coins(payer.lockingBytecode);
  const [genesis] = plainCoins(coins).filter(({ vout }) => vout === 0);
  if (genesis === undefined) throw new Error('mallory has no genesis coin');
  const members = [memberAt(lockOf(first.contract_address), first), memberAt(THIEF_LOCK, second)];
  const outputs = genesisOutputs(members, genesis.txid, RESERVE_DUST);
  const txid = await sendAs(treasury, buildPayment({ payer, coins, outputs, requiredCoins: [genesis] }));
  return { txid, category: genesis.txid };
};

/** The first record as it stands after the funding, in a file that names mallory's address as the second stream. */
const forgeFile = (
  file: DeploymentsFile,
  first: StreamRecord,
  second: StreamRecord,
  address: string,
): DeploymentsFile => ({
  ...file,
  records: {
    ...file.records,
    streams: [first, { ...second, contract_address: address }].map(
      (stream) => z.encode(StreamRecord, stream) as Record<string, unknown>,
    ),
  },
});

const claimAll = (stream: StreamRecord, treasury: Treasury) =>
  offerClaim(
    stream,
    { amount: stream.total_amount, to: parseAddress(stream.recipient) },
    treasury.app.context,
  );

test('deployments verify › given a file whose second stream is the thief’s own address › it fails, since a twin drains the reserve', async (t) => {
  const treasury = await openTreasury(t);
  const { category: token, file, first, second } = await openBatch(treasury);
  const { txid, category } = await fundTwin(treasury, first, second);
  const thread = { category, txid, vout: 0, commitment: firstState(first) };
  const funded = { ...first, status: 'ACTIVE' as const, tx_hash: txid, last_tx_hash: txid, thread };
  const thief = treasury.addressOf(mallory);
  const elsewhere = addressOf(THIEF_LOCK, 'local')?.text ?? '';
  const forged = forgeFile(file, funded, { ...second, tx_hash: txid }, elsewhere);
  const verified = await treasury.ask(null, 'deployments.verify', {
    address: first.contract_address,
    file: forged,
  });
  t.false(verified['success']);
  const failed = (verified['audit'] as Finding[]).filter(({ ok }) => !ok);
  t.deepEqual(
    failed.map(({ check }) => check),
    ['funded together'],
  );
  t.regex(failed[0]?.detail ?? '', new RegExp(`${second.stream_id}.*${elsewhere}`));
  await treasury.refusal(t, null, 'deployments.import', { file: forged }, 'invalid_file');

  // What it fails for: the second NFT moves to the covenant with mallory as its recipient, and takes the reserve.
  const { chain } = treasury.app.context;
  const twin = (await chain.coins(THIEF_LOCK)).find(({ token: held }) => held?.category === category);
  if (twin === undefined) return t.fail();
  const commitment = streamState.encode({ ...readState(thread.commitment), recipient: thief.hash });
  const moved = await sendAs(
    treasury,
    buildSpend({
      network: 'local',
      inputs: [{ coin: twin, unlocker: thiefUnlocker }],
      outputs: [threadOutput(lockOf(first.contract_address), category, commitment, 0n)],
      payer: thief,
      payerCoins: await chain.coins(thief.lockingBytecode),
      locktime: 0,
    }),
  );
  await advance(treasury, 110 * DAY);
  const before = await treasury.tokensOf(mallory, token);
  const pointer = { category, txid: moved, vout: 0, commitment };
  const wcTransaction = await claimAll({ ...funded, recipient: thief.text, thread: pointer }, treasury);
  await treasury.send(mallory, wcTransaction);
  t.is((await treasury.tokensOf(mallory, token)) - before, 10_000n, 'all that was meant for bob');
  await treasury.give(bob, 1_000_000n);
  await t.throwsAsync(claimAll(funded, treasury));
});

test('deployments verify › given a batch whose other members are not what the file says › it fails', async (t) => {
  const treasury = await openTreasury(t);
  const { file, first, second } = await openBatch(treasury);
  const verify = async (streams: readonly StreamRecord[], batch: Record<string, unknown> = {}) => {
    const [run] = file.records['stream_batches'] ?? [];
    const records = {
      ...file.records,
      streams: streams.map((stream) => z.encode(StreamRecord, stream) as Record<string, unknown>),
      stream_batches: [{ ...run, ...batch }],
    };
    const input = { address: first.contract_address, file: { ...file, records } };
    const { audit } = await treasury.ask(null, 'deployments.verify', input);
    return (audit as Finding[]).filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail}`);
  };
  t.deepEqual(await verify([first, second]), []);

  // An address of one key, one that is none, and terms that no contract takes.
  for (const forged of [
    { contract_address: treasury.addressOf(mallory).text },
    { contract_address: 'nowhere' },
    { start_time: 1 },
    { schedule: '' },
  ]) {
    const failed = await verify([first, { ...second, ...forged }]);
    t.regex(failed[0] ?? '', new RegExp(`^funded together: ${second.stream_id}: `), JSON.stringify(forged));
  }
  // The first one's own covenant, with another recipient: both threads would open one reserve.
  const { first_recipient: thief } = second;
  const sibling = {
    ...first,
    id: second.id,
    stream_id: second.stream_id,
    first_recipient: thief,
    recipient: thief,
  };
  t.regex((await verify([first, sibling]))[0] ?? '', /that of another member/);
  // A run that does not name it.
  t.regex((await verify([first, second], { stream_ids: [second.id] }))[0] ?? '', /does not name it/);
});
