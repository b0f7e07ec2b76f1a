/** A vault: what it holds, who signs, and the spends that wait. */
import { pagePath } from '../../page-paths.js';
import { showAmount, showUnits } from '../amounts.js';
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import type { Block } from '../replies.js';
import { say } from '../say.js';
import { Copy } from '../ui/copy.js';
import { Qr } from '../ui/qr.js';
import { RecordPage } from '../ui/record.js';
import { Address } from '../ui/rich-text.js';
import { Pill } from '../ui/tone.js';
import { useWho } from '../who.js';
import { apiPath, type Page } from './page.js';
import {
  Approvals,
  mustSign,
  nameOf,
  SpendWords,
  type Spend,
  type Vault,
  type VaultReply,
} from './spend-parts.js';

const BCH = { category: null, decimals: 8 };

/** What it holds. */
const Holdings = ({ vault }: { readonly vault: Vault }): Drawn => {
  const { balanceOnChain, spendableOnChain, tokens } = vault;
  return html`<section class="card">
    <h2>${say('vault.holds')}</h2>
    <p class="figure">${showAmount(balanceOnChain, BCH)}</p>
    ${tokens.map(
      ({ amountOnChain, decimals, symbol }) =>
        html`<p class="figure-small">${showUnits(amountOnChain, decimals)} ${symbol}</p>`,
    )}
    <p class="soft">${say('vault.spendable', { amount: showAmount(spendableOnChain, BCH) })}</p>
  </section>`;
};

const OpenSpend = ({ spend, vault }: { readonly spend: Spend; readonly vault: Vault }): Drawn => {
  const { address } = useWho();
  const path = pagePath('spend', { id: nameOf(vault), spendId: nameOf(spend) });
  const isReady = spend.status === 'READY';
  const words = mustSign(vault, spend, address)
    ? 'spend.look-sign'
    : isReady
      ? 'spend.look-send'
      : 'spend.look';
  return html`<section class="card">
    <div class="heading-line">
      <h3><a href=${path}>${spend.label}</a></h3>
      <${Pill} state=${spend.status} />
    </div>
    <${SpendWords} spend=${spend} vault=${vault} />
    <${Approvals} spend=${spend} vault=${vault} me=${address} />
    <p class="buttons">
      <a class=${words === 'spend.look' ? 'button' : 'button main'} href=${path}>${say(words)}</a>
    </p>
  </section>`;
};

const OpenSpends = ({ vault }: { readonly vault: VaultReply }): Drawn => {
  const { openSpends } = vault;
  return html`<section>
    <h2>${say('vault.open-spends')}</h2>
    ${openSpends.length === 0 && html`<p class="soft">${say('vault.no-spends')}</p>`}
    ${openSpends.map((spend) => html`<${OpenSpend} key=${spend.id} spend=${spend} vault=${vault} />`)}
  </section>`;
};

const Deposit = ({ address }: { readonly address: string }): Drawn =>
  html`<section class="card">
    <h2>${say('vault.deposit')}</h2>
    <p>${say('vault.deposit-about')}</p>
    <p><${Address} text=${address} /> <${Copy} text=${address} what=${say('copy.address')} /></p>
    <${Qr} text=${address} label=${say('qr.address', { address })} />
  </section>`;

/** Spends are drawn as cards. */
const isRest = (block: Block): boolean =>
  block.kind !== 'table' || block.head.every(({ title }) => title !== 'Pays');

/** `/app/vaults/:id` */
export const VaultPage: Page = ({ parameters }) => {
  const asked = useAsked<VaultReply>(apiPath('/api/vaults/:id', parameters));
  const { reply } = asked;
  return html`<${RecordPage}
    kind="page.vault"
    name=${parameters['id']}
    asked=${{ ...asked, reply: reply && { ...reply, view: (reply.view ?? []).filter(isRest) } }}
    nameOf=${({ label, name, status }: VaultReply) => ({ label: label ?? '', title: name, status })}
    draw=${(vault: VaultReply) => html`
      <${Holdings} vault=${vault} />
      <${OpenSpends} vault=${vault} />
      <${Deposit} address=${vault.contractAddress} />
    `}
  />`;
};
