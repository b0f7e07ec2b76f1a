/** A reward campaign: its pool, and what it has paid to whoever reads. */
import { showUnits } from '../amounts.js';
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import { Measured } from '../pictures/measured.js';
import { drawPool, type CampaignShown } from '../pictures/pool.js';
import type { Reply } from '../replies.js';
import { say } from '../say.js';
import { assetOf, type HasAsset } from '../ui/view-facts.js';
import { RecordPage } from '../ui/record.js';
import { isSame, useWho } from '../who.js';
import { apiPath, type Page } from './page.js';

type CampaignReply = Reply &
  CampaignShown & {
    readonly campaign: CampaignShown['campaign'] &
      HasAsset & {
        readonly creator: string;
        readonly title: string;
      };
  };

const assetOfCampaign = (reply: CampaignReply) => assetOf(reply, reply.campaign, 'Pool');

/** What the reader has of it: their rewards, or, for whoever made it, what is left. */
const Now = ({ reply }: { readonly reply: CampaignReply }): Drawn => {
  const { campaign, distributions } = reply;
  const { address } = useWho();
  const { decimals, symbol } = assetOfCampaign(reply);
  const mine = distributions.filter(({ recipient }) => isSame(recipient, address));
  const received = mine.reduce((sum, { amountOnChain }) => sum + BigInt(amountOnChain), 0n);
  const left = BigInt(campaign.total_poolOnChain) - BigInt(campaign.distributed_totalOnChain);
  const isMine = mine.length > 0;
  const label = isMine ? say('now.you-received', { count: mine.length }) : say('now.is-left');
  return html`<section class="card now" aria-label=${label}>
    <p class="soft">${label}</p>
    <p class="figure">${showUnits(isMine ? received : left, decimals)} ${symbol}</p>
    ${isMine && html`<p class="soft">${say('now.rewards-come')}</p>`}
  </section>`;
};

/** Pictures are of now by the reader's clock: a campaign's reply has no time of the chain. */
const nowOf = ({ chainTime }: Reply): number => chainTime ?? Math.floor(Date.now() / 1_000);

/** `/app/rewards/:id` */
export const CampaignPage: Page = ({ parameters }) => {
  const asked = useAsked<CampaignReply>(apiPath('/api/rewards/:id', parameters));
  return html`<${RecordPage}
    kind="page.campaign"
    name=${parameters['id']}
    asked=${asked}
    nameOf=${({ campaign }: CampaignReply) => ({
      label: campaign.campaign_id,
      title: campaign.title,
      status: campaign.status,
    })}
    draw=${(reply: CampaignReply) => html`
      <${Now} reply=${reply} />
      <${Measured}
        draw=${(width: number) => drawPool({ ...reply, now: nowOf(reply) }, assetOfCampaign(reply), width)}
      />
    `}
  />`;
};
