/** A spend of a vault: what it pays in words, its digest, who has signed, and what can be done about it. */
import { useState } from 'preact/hooks';
import { pagePath } from '../../page-paths.js';
import { post } from '../api.js';
import { useAsked, type Asked } from '../asked.js';
import { failureOf, type PageFailure } from '../failure.js';
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { StepButton } from '../signing/step-button.js';
import { openConnect } from '../ui/connect-state.js';
import { RecordPage } from '../ui/record.js';
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
  type Vault,
  type VaultReply,
} from './spend-parts.js';

type Shown = { readonly spend: SpendReply; readonly vault: Vault; readonly again: () => void };

/** Sends it: two have signed, so nothing is left to sign. */
const SendButton = ({ spend, vault, again }: Shown): Drawn => {
  const [failure, setFailure] = useState<PageFailure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    const place = apiPath('/api/vaults/:id/spends/:spendId', { id: vault.id, spendId: spend.id });
    try {
      await post(`${place}/broadcast`, {});
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
    again();
  };
  return html`<div class="stack">
    <p class="buttons">
      <button type="button" class="main" disabled=${isBusy} onClick=${() => void send()}>
        ${say(isBusy ? 'spend.sending' : 'spend.send')}
      </button>
    </p>
    ${failure !== null && html`<${Failed} failure=${failure} />`}
  </div>`;
};

/** What whoever reads can do. */
const Actions = ({ spend, vault, again }: Shown): Drawn => {
  const { address } = useWho();
  if (address === null)
    return html`<p class="buttons">
      <button type="button" onClick=${openConnect}>${say('spend.are-you-signer')}</button>
    </p>`;
  if (mustSign(vault, spend, address))
    return html`<div class="stack">
      <p>${say('spend.compare')}</p>
      <p class="buttons"><${StepButton} step=${signStep(spend, vault, address)} onDone=${again} /></p>
    </div>`;
  return spend.status === 'READY' && vault.signers.includes(address)
    ? html`<${SendButton} spend=${spend} vault=${vault} again=${again} />`
    : null;
};

const Now = (shown: Shown): Drawn => {
  const { spend, vault } = shown;
  const { address } = useWho();
  return html`<section class="card">
      <${SpendWords} spend=${spend} vault=${vault} />
      <div>
        <p class="soft">${say('spend.digest')}</p>
        <p class="digest"><code>${spend.digest}</code></p>
      </div>
      <${Approvals} spend=${spend} vault=${vault} me=${address} />
      <${Actions} ...${shown} />
    </section>
    <p>
      <a href=${pagePath('vault', { id: nameOf(vault) })}>${say('spend.to-vault', { name: vault.name })}</a>
    </p>`;
};

/** The words of others and what is paid stand in the card. */
const withFactsAlone = (asked: Asked<SpendReply>): Asked<SpendReply> => {
  const { reply } = asked;
  if (reply === null) return asked;
  const [first, ...rest] = reply.view ?? [];
  const view = rest.filter(({ kind }) => kind === 'facts' || kind === 'next');
  return { ...asked, reply: { ...reply, view: first === undefined ? [] : [first, ...view] } };
};

/** `/app/vaults/:id/spends/:spendId` */
export const SpendPage: Page = ({ parameters }) => {
  const spend = useAsked<SpendReply>(apiPath('/api/vaults/:id/spends/:spendId', parameters));
  const vault = useAsked<VaultReply>(apiPath('/api/vaults/:id', parameters));
  const again = (): void => {
    spend.again();
    vault.again();
  };
  return html`<${RecordPage}
    kind="page.spend"
    name=${parameters['spendId']}
    asked=${withFactsAlone({ ...spend, again })}
    nameOf=${({ label, status }: SpendReply) => ({ label, title: null, status })}
    draw=${(shown: SpendReply) =>
      html`<${Answered}
        asked=${vault}
        draw=${(of: VaultReply) => html`<${Now} spend=${shown} vault=${of} again=${again} />`}
      />`}
  />`;
};
