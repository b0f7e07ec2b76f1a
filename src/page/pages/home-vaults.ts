/** What the reader's vaults want of them: spends to sign, and votes that are open. */
import { pagePath } from '../../page-paths.js';
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import type { Reply } from '../replies.js';
import { say } from '../say.js';

/** A vault of a list, as far as it is read here. */
export type Vault = {
  readonly label: string;
  readonly name: string;
  readonly role: string;
  readonly signers: readonly string[];
};

type Spend = {
  readonly id: string;
  readonly label: string;
  readonly memo: string;
  readonly status: string;
  readonly signatures: readonly { readonly signer: string }[];
};

type Proposal = { readonly id: string; readonly title: string; readonly status: string };

/** Vaults that are looked into at once; the others have their own pages. */
const MOST = 10;

/** What is to be done with a spend; null: nothing by this reader. */
const taskOf = ({ status, signatures }: Spend, address: string): 'vaults.sign' | 'vaults.send' | null => {
  if (status === 'READY') return 'vaults.send';
  return status === 'PENDING' && signatures.every(({ signer }) => signer !== address) ? 'vaults.sign' : null;
};

type Asked = { readonly vault: Vault; readonly address: string };

/** A vault's open matters, each with its page. */
const OneVault = ({ vault, address }: Asked): Drawn => {
  const id = vault.label.replace('#', '');
  const spends = useAsked<Reply>(`/api/vaults/${id}/spends`).reply?.['spends'] as
    | readonly Spend[]
    | undefined;
  const proposals = useAsked<Reply>(`/api/vaults/${id}/governance`).reply?.['proposals'] as
    | readonly Proposal[]
    | undefined;
  const isSigner = vault.signers.includes(address);
  const tasks = (spends ?? []).flatMap((spend) => {
    const task = isSigner ? taskOf(spend, address) : null;
    return task === null ? [] : [{ spend, task }];
  });
  const votes = (proposals ?? []).filter(({ status }) => status === 'ACTIVE');
  return html`${tasks.map(({ spend, task }) => {
    const path = pagePath('spend', { id, spendId: spend.id });
    return html`<li class="plain">
      <p><a href=${path}>${spend.memo === '' ? spend.label : `“${spend.memo}”`}</a></p>
      <p class="soft">${say('vaults.spend', { label: spend.label, name: vault.name })}</p>
      <a class="button" href=${path}>${say(task)}</a>
    </li>`;
  })}
  ${votes.map(({ id: proposalId, title }) => {
    const path = pagePath('vote', { id: proposalId });
    return html`<li class="plain">
      <p><a href=${path}>“${title}”</a></p>
      <p class="soft">${say('vaults.open-vote', { name: vault.name })}</p>
      <a class="button" href=${path}>${say('vaults.vote')}</a>
    </li>`;
  })}`;
};

/** What the vaults want of whoever signs for them. */
export const MemberMatters = ({
  vaults,
  address,
}: {
  readonly vaults: readonly Vault[];
  readonly address: string;
}): Drawn =>
  vaults.length === 0
    ? null
    : html`<ul class="waiting-list card only-if-any" aria-label=${say('vaults.wait')}>
        ${vaults.slice(0, MOST).map((vault) => html`<${OneVault} key=${vault.label} vault=${vault} address=${address} />`)}
      </ul>`;
