/** What vaults and their spends ask of whoever has this home. */
import { BCH_DECIMALS } from '../../bch/amount.js';
import { pagePath } from '../../page-paths.js';
import { shellLabel } from '../../record/labels.js';
import { underEach, type Matter, type MattersOf } from '../../record/matter.js';
import { openSpends } from './records.js';
import type { SpendRecord } from './spend.js';
import { vaultCollection, type VaultRecord } from './vault.js';

/** What a spend pays in BCH or, when it pays no BCH, in its first token. */
const amountOf = ({ payments }: SpendRecord): Matter['amount'] => {
  const [first] = payments;
  const category = payments.some(({ token_category }) => token_category === null)
    ? null
    : (first?.token_category ?? null);
  const own = payments.filter(({ token_category }) => token_category === category);
  return {
    units: own.reduce((sum, { amount }) => sum + amount, 0n),
    decimals: own[0]?.decimals ?? BCH_DECIMALS,
    category,
  };
};

const matterOf = (
  { id, label, name }: VaultRecord,
  spend: SpendRecord,
  matter: Pick<Matter, 'kind' | 'command' | 'by'>,
): Matter => ({
  label: spend.label,
  what: [`out of ${name}`, ...(spend.memo === '' ? [] : [spend.memo])].join(': '),
  amount: amountOf(spend),
  at: null,
  page: pagePath('spend', { id: shellLabel(label ?? id), spendId: shellLabel(spend.label) }),
  ...matter,
});

const ofSpend = (vault: VaultRecord, spend: SpendRecord, mine: readonly string[]): readonly Matter[] => {
  const signers = vault.signers.filter((signer) => mine.includes(signer));
  const signed = spend.signatures.map(({ signer }) => signer);
  const label = shellLabel(spend.label);
  const [first] = signers;
  if (first === undefined) return [];
  if (spend.status === 'READY')
    return [matterOf(vault, spend, { kind: 'sign', command: `vaults spend broadcast ${label}`, by: first })];
  if (spend.status === 'GONE')
    return [matterOf(vault, spend, { kind: 'failed', command: `vaults spend cancel ${label}`, by: first })];
  return signers
    .filter((signer) => !signed.includes(signer))
    .slice(0, 1)
    .map((by) => matterOf(vault, spend, { kind: 'sign', command: `vaults spend sign ${label}`, by }));
};

/** Spends that wait for a signature or to be sent, those that lost a coin, and vaults without a first deposit. */
export const matters: MattersOf = async (store, { mine }) => {
  const find = (role: 'signer' | 'creator', status: VaultRecord['status']) =>
    underEach(mine, (value) => store.find(vaultCollection, { where: { [role]: value, status } }));
  const [signing, begun] = await Promise.all([find('signer', 'active'), find('creator', 'pending')]);
  const vaults = [...new Map(signing.map((vault) => [vault.id, vault])).values()];
  const spends = await Promise.all(
    vaults.map(async (vault) =>
      (await openSpends(store, vault.id)).flatMap((spend) => ofSpend(vault, spend, mine)),
    ),
  );
  return [
    ...spends.flat(),
    ...begun.map((vault): Matter => ({
      kind: 'begin',
      label: vault.name,
      what: 'a vault without its first deposit',
      amount: null,
      at: null,
      command: `vaults deposit ${vault.id}`,
      by: vault.creator,
      page: pagePath('vault', { id: shellLabel(vault.label ?? vault.id) }),
    })),
  ];
};
