/** A vault: what it holds, who signs, and the spends that wait. */
import { pagePath } from '../../page-paths.js';
import { showAmount, showUnits } from '../amounts.js';
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import type { Block } from '../replies.js';
import { say } from '../say.js';
import { Blocks } from '../ui/blocks.js';
import { Copy } from '../ui/copy.js';
import { Qr } from '../ui/qr.js';
import { Address } from '../ui/rich-text.js';
import { Heading } from '../ui/heading.js';
import { Pill } from '../ui/tone.js';
import { Answered } from '../ui/states.js';
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
  return html`<section class="card">
    <div class="heading-line">
      <h3><a href=${path}>${spend.label}</a></h3>
      <${Pill} state=${spend.status} />
    </div>
    <${SpendWords} spend=${spend} vault=${vault} />
    <${Approvals} spend=${spend} vault=${vault} me=${address} />
    ${
      (mustSign(vault, spend, address) || spend.status === 'READY') &&
      html`<p>
        <a class="button main" href=${path}
          >${say(spend.status === 'READY' ? 'spend.look-send' : 'spend.look-sign')}</a
        >
      </p>`
    }
  </section>`;
};

/** The tables of spends are drawn as cards, and its first words stand in the heading. */
const isRest = (block: Block): boolean =>
  !(
    block.kind === 'text' ||
    block.kind === 'qr' ||
    (block.kind === 'table' && block.head.some(({ title }) => title === 'Pays'))
  );

const VaultParts = ({ vault }: { readonly vault: VaultReply }): Drawn =>
  html`<div class="blocks">
    <${Holdings} vault=${vault} />
    <section>
      <h2>${say('vault.open-spends')}</h2>
      ${
        vault.openSpends.length === 0
          ? html`<p class="soft">${say('vault.no-spends')}</p>`
          : vault.openSpends.map(
              (spend) => html`<${OpenSpend} key=${spend.id} spend=${spend} vault=${vault} />`,
            )
      }
    </section>
    <section class="card">
      <h2>${say('vault.deposit')}</h2>
      <p>${say('vault.deposit-about')}</p>
      <p>
        <${Address} text=${vault.contractAddress} />
        <${Copy} text=${vault.contractAddress} what=${say('who.address')} />
      </p>
      <${Qr} text=${vault.contractAddress} label=${say('qr.address', { address: vault.contractAddress })} />
    </section>
    <section>
      <h2>${say('page.in-full')}</h2>
      <${Blocks} blocks=${(vault.view ?? []).filter(isRest)} />
    </section>
  </div>`;

/** The page of a vault. */
export const VaultPage: Page = ({ parameters }) => {
  const asked = useAsked<VaultReply>(apiPath('/api/vaults/:id', parameters));
  const { reply } = asked;
  return html`<${Heading}
      title=${reply?.name ?? parameters['id'] ?? ''}
      kicker=${`${say('page.vault')} ${reply?.label ?? ''}`}
      state=${reply?.status}
    />
    <${Answered} asked=${asked} draw=${(vault: VaultReply) => html`<${VaultParts} vault=${vault} />`} />`;
};
