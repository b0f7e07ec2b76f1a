/** What comes from outside: coins that nobody asked for, and pay. */
import { parseAddress } from '../../src/bch/address.js';
import { buildPayment } from '../../src/bch/payment.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { encodeWalletTransaction, type WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { TreasuryError } from '../../src/errors.js';
import { carryOut } from './carry-out.js';
import { thief, type Play } from './cast.js';
import { send, signReply } from './client.js';
import { NETWORK } from './processes.js';
import { runAs } from './timeline.js';
import type { Signed } from './world.js';

/** The funding of a record that somebody has signed, made once more of a coin of the thief's. */
const fundingAgain = async (play: Play, { raw, record }: Signed): Promise<WalletTransaction | null> => {
  const who = thief(play);
  const payer = who.address(NETWORK);
  const coins = await runAs(null, () => play.world.node.coins(payer.lockingBytecode));
  const genesis = coins.find(({ vout, token }) => vout === 0 && token === undefined);
  if (genesis === undefined || record?.address == null) return null;
  const { lockingBytecode: lock } = parseAddress(record.address, NETWORK);
  const outputs = decodeTransaction(raw)
    .outputs.filter(({ lockingBytecode }) => lockingBytecode === lock)
    .map((output) =>
      output.token === undefined ? output : { ...output, token: { ...output.token, category: genesis.txid } },
    );
  try {
    const payment = buildPayment({ payer, coins, outputs, requiredCoins: [genesis] });
    return encodeWalletTransaction({ ...payment, broadcast: false });
  } catch (error) {
    if (error instanceof TreasuryError) return null;
    throw error;
  }
};

/** Money that nobody asked for comes to the address of a record, as a thread beside its own; who may take it out does. */
export const stray = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const fundings = world.drawer.filter(
    ({ build, record }) =>
      /^(?:streams|payments|budgets)\.funding-info$/.test(build) && record?.asset === null,
  );
  if (fundings.length === 0) return;
  const funding = random.pick(fundings);
  const { record } = funding;
  const wcTransaction = await fundingAgain(play, funding);
  if (record === null || wcTransaction === null) return;
  const build = { build: 'a stray funding', record, input: {} };
  const signed = signReply(world, thief(play), build, { wcTransaction });
  if (signed === null || !(await send(world, signed, 'node'))) return;
  world.count('fault: a stray funding');
  world.tell(`${thief(play).name} funds ${record.tag} beside its own thread: ${signed.txid.slice(0, 8)}`);
  await world.timeline.sleep(random.next() * 20_000);
  const who = random.chance(0.7) ? record.creator : (record.recipient ?? record.creator);
  await carryOut(play, who, `${record.noun}.recover`, { id: record.id }, record);
};

/** Somebody is paid by the outside world: their coins are others than before. */
export const receive = async ({ world, random }: Play): Promise<void> => {
  const [busy] = world.people;
  const who = busy !== undefined && random.chance(0.5) ? busy : random.pick(world.people);
  await runAs(null, () =>
    world.node.faucet(who.address(NETWORK).lockingBytecode, BigInt(random.whole(1, 90)) * 1_000_000n),
  );
};
