/** A funded stream made by hand, and the coins around it: for the pure builders. */
import { binToHex } from '@bitauth/libauth';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, authority, bob } from '../../../fixtures/people.js';
import { parseAddress } from '../../../src/bch/address.js';
import { preflight } from '../../../src/bch/wallet-transaction.js';
import type { Coin } from '../../../src/bch/coins.js';
import { RESERVE_DUST, reserveContract } from '../../../src/covenant/reserve.js';
import type { UnsignedTransaction } from '../../../src/covenant/spend.js';
import { TreasuryError } from '../../../src/errors.js';
import { vestingContract } from '../../../src/products/streams/contract.js';
import { remainingPool } from '../../../src/products/streams/rules.js';
import { encodeSchedule, segmentsOf, type Shape } from '../../../src/products/streams/schedule.js';
import { CHAIN_STATUS, flagsOf, streamState } from '../../../src/products/streams/state.js';
import type { StreamRecord } from '../../../src/products/streams/stream.js';
import type { StreamSpend } from '../../../src/products/streams/transactions.js';

const CATEGORY = 'cc'.repeat(32);
export const TOKEN = 'aa'.repeat(32);

export type Situation = {
  readonly released?: bigint;
  readonly pausedAt?: number;
  readonly tokenCategory?: string | null;
};

/** An ACTIVE (or PAUSED) stream of a shape from alice to bob. */
export const fixedStream = (
  shape: Shape,
  { released = 0n, pausedAt, tokenCategory = null }: Situation = {},
): StreamRecord => {
  const flags = { cancelable: true, transferable: true };
  const isPaused = pausedAt !== undefined;
  const commitment = streamState.encode({
    status: isPaused ? CHAIN_STATUS.paused : CHAIN_STATUS.active,
    released,
    start: shape.start_time,
    pausedAt: pausedAt ?? 0,
    recipient: bob.address('local').hash,
    flags: flagsOf(flags),
  });
  const record: StreamRecord = {
    ...shape,
    ...flags,
    id: 'a-stream',
    stream_id: '#STREAM-0001',
    on_chain_stream_id: '11'.repeat(32),
    vault_id: null,
    is_private: false,
    batch_id: null,
    sender: alice.address('local').text,
    first_recipient: bob.address('local').text,
    token_type: tokenCategory === null ? 'BCH' : 'FUNGIBLE_TOKEN',
    token_category: tokenCategory,
    decimals: 0,
    amount_per_interval: null,
    schedule_template: null,
    refillable: false,
    push_minimum: 0n,
    launch_context: null,
    description: '',
    schedule: encodeSchedule(segmentsOf(shape)),
    contract_address: '',
    artifact_fingerprint: newestFingerprint('stream'),
    constructor_params: [],
    authority_pubkey: binToHex(authority.publicKey),
    status: isPaused ? 'PAUSED' : 'ACTIVE',
    recipient: bob.address('local').text,
    withdrawn_amount: released,
    returned_amount: 0n,
    refilled_amount: 0n,
    shift_seconds: 0,
    paused_at: pausedAt ?? null,
    tx_hash: '22'.repeat(32),
    last_tx_hash: '22'.repeat(32),
    thread: { category: CATEGORY, txid: '22'.repeat(32), vout: 0, commitment },
    created_at: shape.start_time,
    updated_at: shape.start_time,
    own_label: null,
    own_note: null,
  };
  return { ...record, contract_address: vestingContract(record, 'local').address.text };
};

/** A coin of somebody's. */
export const plainCoin = (lockingBytecode: string, satoshis: bigint): Coin => ({
  txid: '33'.repeat(32),
  vout: 1,
  satoshis,
  lockingBytecode,
  height: 1,
});

/** The spend of a stream at a locktime; the payer has one coin, or none. */
export const spendAt = (
  stream: StreamRecord,
  locktime: number,
  payerSatoshis: bigint | null = 100_000n,
  payer = bob,
): StreamSpend => {
  const { lockingBytecode } = parseAddress(stream.contract_address);
  const { thread, token_category: category } = stream;
  if (thread === null) throw new Error('it is funded');
  const remaining = remainingPool(stream);
  const nft = { capability: 'mutable' as const, commitment: thread.commitment };
  return {
    record: stream,
    network: 'local',
    locktime,
    coins: {
      thread: {
        ...thread,
        lockingBytecode,
        satoshis: 1_000n + (category === null ? remaining : 0n),
        token: { category: CATEGORY, amount: 0n, nft },
        height: 1,
      },
      reserve:
        category === null
          ? []
          : [
              {
                txid: '44'.repeat(32),
                vout: 1,
                satoshis: RESERVE_DUST,
                lockingBytecode: reserveContract(CATEGORY, lockingBytecode, 'local').lockingBytecode,
                token: { category, amount: remaining },
                height: 1,
              },
            ],
    },
    payerCoins:
      payerSatoshis === null ? [] : [plainCoin(payer.address('local').lockingBytecode, payerSatoshis)],
  };
};

/** The code with which the VM refuses a transaction for a signer, or null when it accepts it. */
export const refusalOf = (unsigned: UnsignedTransaction, signer = bob): string | null => {
  const { transaction, sourceOutputs } = unsigned;
  const party = { lockingBytecode: signer.address('local').lockingBytecode };
  try {
    preflight({ transaction, sourceOutputs: [...sourceOutputs] }, party, {
      medianTimePast: transaction.locktime + 1,
    });
    return null;
  } catch (error) {
    const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
    if (known === null) throw error;
    return known.code;
  }
};
