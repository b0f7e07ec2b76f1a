/** The act of the vaults: three treasurers, a deposit, a stranger's gift, and a spend that two of the three sign. */
import { parseAddress } from '../bch/address.js';
import { sumSatoshis } from '../bch/coins.js';
import { bch, type Person, type Stage } from './stage.js';

const DEPOSIT = '1.5';
const GIFT = '0.25';
const PAYMENTS = [60_000_000n, 35_000_000n] as const;
const decimal = (satoshis: bigint): string => `0.${satoshis.toString().padStart(8, '0')}`;

/** A vault of three people, one of whom pays the first deposit. */
const openVault = async (stage: Stage, treasurers: readonly Person[]) => {
  const [creator] = treasurers;
  if (creator === undefined) throw new Error('a vault has signers');
  const created = await stage.vault('Common funds', treasurers, DEPOSIT);
  const { id, contractAddress: address } = created as { id: string; contractAddress: string };
  stage.say(`\nA vault of ${treasurers.map(({ name }) => name).join(', ')}, at ${address}`);
  await stage.carryOut(creator, {
    what: `${creator.name} deposits ${DEPOSIT} BCH, and the vault's state is minted`,
    build: 'vaults.deposit',
    confirm: 'vaults.update-balance',
    input: { id },
  });
  return { id, address, creator };
};

/** Plays the act. */
export const playVaults = async (stage: Stage): Promise<void> => {
  const tara = await stage.person('tara', 300_000_000n);
  const treasurers = [tara, await stage.person('tim'), await stage.person('tess')];
  const gus = await stage.person('gus', 90_000_000n);
  const payees = [await stage.person('pia'), await stage.person('paul')];
  const { id, address } = await openVault(stage, treasurers);
  const { lockingBytecode } = parseAddress(address);
  const held = async () => sumSatoshis(await stage.app.context.chain.coins(lockingBytecode));

  await stage.step(gus, ['wallet', 'send'], {
    what: `gus, a stranger, sends ${GIFT} BCH to the address`,
    input: { to: address, amount: GIFT },
  });
  const before = await held();
  const spend = await stage.ask(tara, 'vaults.spend-create', {
    id,
    memo: 'Audit, first half',
    outputs: payees.map((payee, index) => ({
      to: payee.address.text,
      amount: decimal(PAYMENTS[index] ?? 0n),
    })),
  });
  const { id: spendId, label, fee } = spend as { id: string; label: string; fee: number };
  for (const signer of treasurers.slice(1)) {
    await stage.ask(signer, 'vaults.spend-sign', { spendId });
    stage.say(`  ${signer.name} signs ${label}`);
  }
  const { txHash } = await stage.ask(tara, 'vaults.spend-broadcast', { id, spendId });
  const paid = PAYMENTS.reduce((sum, amount) => sum + amount, 0n);
  stage.say(`  ${String(txHash)}  ${label} pays ${bch(paid)}, signed by two of three`);

  for (const [index, payee] of payees.entries()) {
    stage.check(`${payee.name} received`, PAYMENTS[index] ?? 0n, await stage.satoshisOf(payee));
  }
  stage.check('the vault held the deposit and the gift', 175_000_000n, before);
  stage.check('it paid that and its fee, nothing else', before - paid - BigInt(fee), await held());
};
