import test from 'ava';
import { alice, bob, mallory } from '../../../../fixtures/people.js';
import { openTreasury } from '../../../treasury.js';
import { createVault } from '../../vaults/vault.js';
import { createCampaign, fundCampaign, terms } from '../campaign.js';

test('create › given a vault › what remains goes back to the vault, with the warning', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  const { id, move, shown, pay } = await fundCampaign(treasury, { vaultId: vault.id });
  const { refund_address: refundAddress, vault_id: vaultId } = await shown();
  t.is(vaultId, vault.id);
  await pay(bob, '0.004');

  const built = await treasury.ask(alice, 'rewards.cancel', { id });
  t.like(built, { signerMatchesReturn: false, cancelReturnAddress: refundAddress });
  t.regex(String(built['warning']), /not to you/);
  await move('cancel');
  const { balance } = await treasury.ask(alice, 'vaults.show', { id: vault.id });
  t.is(balance, 0.026);
});

test('create › given a private vault › its members only', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury, { isPublic: false });
  await treasury.refusal(t, mallory, 'rewards.create', { ...terms, vaultId: vault.id }, 'private_vault');
});

test('show and list › given a private vault › hidden from others', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury, { isPublic: false });
  const { id } = await createCampaign(treasury, { vaultId: vault.id });
  await treasury.refusal(t, mallory, 'rewards.show', { id }, 'private_vault');
  const creator = treasury.addressOf(alice).text;
  t.is((await treasury.ask(mallory, 'rewards.list', { creator }))['total'], 0);
  t.is((await treasury.ask(bob, 'rewards.list', { creator }))['total'], 1);
});
