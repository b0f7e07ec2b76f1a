/** What the chain cannot give of a vault: what its spends were proposed to be. */
import { parseAddress } from '../../bch/address.js';
import { sumSatoshis, type Output } from '../../bch/coins.js';
import type { Finding } from '../../covenant/genesis.js';
import { defineKeptRecord, type Beside, type KeptRecord } from '../../record/kept-record.js';
import { looksLikeThread } from './coins.js';
import { findVault } from './records.js';
import { vaultCollection } from './vault.js';
import { spendCollection, type Payment, type SpendRecord } from './spend.js';
import { emptySlots, rebuildSpend, unsignedTxid } from './transactions.js';

/** A spend that nobody has signed and that the chain has not seen. What was cancelled stays so. */
const packSpend = (spend: SpendRecord): SpendRecord => ({
  ...spend,
  signatures: [],
  status: spend.status === 'CANCELLED' ? 'CANCELLED' : 'PENDING',
  tx_hash: null,
  gone: null,
});

const isPaidBy = ({ to, token_category: category, amount }: Payment, output: Output | undefined): boolean => {
  if (output?.lockingBytecode !== parseAddress(to).lockingBytecode) return false;
  return category === null
    ? output.token === undefined && output.satoshis === amount
    : output.token?.category === category && output.token.amount === amount;
};

/** The outputs pay what the spend says that it pays, and these coins and outputs give its id. */
const checkSpend = async (spend: SpendRecord, { store, network }: Beside): Promise<readonly Finding[]> => {
  const vault = await findVault(store, spend.vault_id);
  const { transaction } = rebuildSpend({ vault, network, spend }, emptySlots(vault));
  const txid = unsignedTxid(transaction);
  const [first] = spend.coins;
  const offset = first !== undefined && looksLikeThread(vault, first) ? 1 : 0;
  const unpaid = spend.payments.find((payment, index) => !isPaidBy(payment, spend.outputs[index + offset]));
  const fee = sumSatoshis(spend.coins) - sumSatoshis(spend.outputs);
  return [
    {
      check: 'unsigned transaction',
      ok: txid === spend.unsigned_txid,
      detail: `its coins and outputs give ${txid}, not ${spend.unsigned_txid}`,
    },
    { check: 'fee', ok: fee === spend.fee, detail: `coins and outputs leave ${fee}, not ${spend.fee}` },
    {
      check: 'payments',
      ok: unpaid === undefined,
      detail: `no output pays ${unpaid?.amount ?? 0n} to ${unpaid?.to ?? ''}`,
    },
  ];
};

/** Spends without their signatures: a file for anybody carries none that is half signed. */
export const keptRecords: readonly KeptRecord[] = [
  defineKeptRecord<SpendRecord>({
    collection: spendCollection,
    pack: packSpend,
    needs: ({ vault_id: id }) => [{ collection: vaultCollection, id }],
    identity: ({ label, vault_id, unsigned_txid }) => [label, vault_id, unsigned_txid],
    label: ({ label }) => label,
    labelKind: 'SPEND',
    check: checkSpend,
  }),
];
