/** How a vault and a spend from one are asked for. */
import { binToHex, hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import type { Around, Guide } from '../../operation/guide.js';
import { chooseSignedVault } from './choices.js';
import { vaultCollection } from './vault.js';

type Known = { readonly value: string; readonly note: string };

/** The public key of an address: of a wallet of this home, or as another vault has it. */
const keyOf = async (address: string, { keys, store }: Around['context']): Promise<Known | null> => {
  const wallet = (await keys.list()).find((one) => one.address.text === address);
  if (wallet !== undefined)
    return {
      value: wallet.publicKey,
      note: `Their key is that of the wallet ${wallet.name}: ${wallet.publicKey}`,
    };
  const { items } = await store.find(vaultCollection, {
    where: { signer: address },
    limit: 1,
    isCounted: false,
  });
  const [vault] = items;
  const key = vault?.signer_pubkeys[vault.signers.indexOf(address)];
  if (vault === undefined || key === undefined) return null;
  // Whoever wrote it there: it is theirs only where it gives their address.
  if (parseAddress(address).hash !== binToHex(hash160(hexToBin(key)))) return null;
  return { value: key, note: `Their key is known from the vault ${vault.name}: ${key}` };
};

const signerAt = ({ answers, index }: Around): string => {
  const signers = answers['signers'];
  const signer: unknown = Array.isArray(signers) ? signers[index] : undefined;
  return typeof signer === 'string' ? signer : '';
};

export const vaultGuide: Guide = {
  intro: 'A vault holds common funds: any two of its three signers can spend from it.',
  order: ['name', 'totalDeposit', 'signers', 'signerPubkeys', 'isPublic'],
  questions: {
    name: { ask: 'What is it called?' },
    signers: {
      item: 'Signer',
      unlike: 'is an earlier signer: three different people sign',
      ask: 'who signs? A number of these, @name or an address',
      suggest: ({ index, caller }) => (index === 0 ? (caller?.text ?? null) : null),
    },
    signerPubkeys: {
      item: 'Key of signer',
      ask: 'their public key, hex (`treasury wallet show` says it)',
      known: (around) => keyOf(signerAt(around), around.context),
    },
    totalDeposit: { ask: 'How much BCH is to go in, in all? 0 where there is no target', suggest: () => '0' },
    isPublic: { ask: 'May everybody read it, and what belongs to it?' },
  },
};

export const spendGuide: Guide = {
  intro: 'A spend waits for two of the three signatures; the fee comes out of the vault.',
  questions: {
    id: { item: 'Vault', ask: 'From which vault?', choices: chooseSignedVault },
    outputs: {
      item: 'Payment',
      columns: {
        to: { ask: 'to whom? A number of these, @name or an address' },
        amount: { ask: 'how much?' },
        tokenCategory: { ask: 'of what?', enter: 'BCH' },
      },
    },
    memo: { ask: 'What is it for? The other signers read it' },
  },
};
