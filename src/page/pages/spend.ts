/** A spend of a vault: what it pays in words, its digest, who has signed, and what can be done about it. */
import { useState } from 'preact/hooks';
import { pagePath } from '../../page-paths.js';
import { post } from '../api.js';
import { useAsked } from '../asked.js';
import { failureOf, type PageFailure } from '../failure.js';
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { StepButton } from '../signing/step-button.js';
import { Blocks } from '../ui/blocks.js';
import { Heading } from '../ui/heading.js';
import { Answered, Failed } from '../ui/states.js';
import { useWho } from '../who.js';
import { apiPath, type Page } from './page.js';
import {
  Approvals,
  mustSign,
  nameOf,
  signStep,
  SpendWords,
  type SpendReply,
  type VaultReply,
} from './spend-parts.js';

type Shown = { readonly spend: SpendReply; readonly vault: VaultReply; readonly again: () => void };

/** Sends it: two have signed, so nothing is left to sign. */
const SendButton = ({ spend, vault, again }: Shown): Drawn => {
  const [failure, setFailure] = useState<PageFailure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await post(
        `${apiPath('/api/vaults/:id/spends/:spendId', { id: vault.id, spendId: spend.id })}/broadcast`,
        {},
      );
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
    again();
  };
  return html`<div class="stack">
    <button type="button" class="main" disabled=${isBusy} onClick=${() => void send()}>
      ${say(isBusy ? 'spend.sending' : 'spend.send')}
    </button>
    ${failure !== null && html`<${Failed} failure=${failure} />`}
  </div>`;
};

/** What whoever reads can do. */
const Actions = ({ spend, vault, again }: Shown): Drawn => {
  const { address } = useWho();
  if (address !== null && mustSign(vault, spend, address))
    return html`<div class="stack">
      <p>${say('spend.compare')}</p>
      <${StepButton} step=${signStep(spend, vault, address)} onDone=${again} />
    </div>`;
  const isSigner = address !== null && vault.signers.includes(address);
  return spend.status === 'READY' && isSigner
    ? html`<${SendButton} spend=${spend} vault=${vault} again=${again} />`
    : null;
};

const Spend = (shown: Shown): Drawn => {
  const { spend, vault } = shown;
  const { address } = useWho();
  return html`<div class="blocks">
    <section class="card">
      <${SpendWords} spend=${spend} vault=${vault} />
      <p class="soft">${say('spend.digest')}</p>
      <p class="digest"><code>${spend.digest}</code></p>
      <${Approvals} spend=${spend} vault=${vault} me=${address} />
      <${Actions} ...${shown} />
    </section>
    <details class="terminal">
      <summary>${say('page.in-full')}</summary>
      <${Blocks} blocks=${(spend.view ?? []).filter(({ kind }) => kind === 'facts')} />
    </details>
    <p>
      <a href=${pagePath('vault', { id: nameOf(vault) })}>${say('spend.to-vault', { name: vault.name })}</a>
    </p>
  </div>`;
};

/** The page of a spend. */
export const SpendPage: Page = ({ parameters }) => {
  const spend = useAsked<SpendReply>(apiPath('/api/vaults/:id/spends/:spendId', parameters));
  const vault = useAsked<VaultReply>(apiPath('/api/vaults/:id', parameters));
  const again = (): void => {
    spend.again();
    vault.again();
  };
  const label = spend.reply?.label ?? parameters['spendId'] ?? '';
  const draw = (reply: SpendReply) =>
    html`<${Answered}
      asked=${vault}
      draw=${(of: VaultReply) => html`<${Spend} spend=${reply} vault=${of} again=${again} />`}
    />`;
  return html`<${Heading} title=${label} kicker=${say('page.spend')} state=${spend.reply?.status} />
    <${Answered} asked=${{ ...spend, again }} draw=${draw} />`;
};
