/** A vault of alice, carol and dave: streams can be launched from it. */
import { binToHex } from '@bitauth/libauth';
import { alice, carol, dave } from '../../../fixtures/people.js';
import type { Treasury } from '../../treasury.js';

const signers = [alice, carol, dave];

/** Returns the vault's id. */
export const createVault = async (
  treasury: Treasury,
  { isPublic = true }: { readonly isPublic?: boolean } = {},
): Promise<string> => {
  const { id } = await treasury.ask(alice, 'vaults.create', {
    name: 'Contributors',
    signers: signers.map((who) => treasury.addressOf(who).text),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: '0.1',
    isPublic,
  });
  return String(id);
};
