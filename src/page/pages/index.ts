/** The page of each address. */
import type { PageName } from '../../page-paths.js';
import { StreamPage } from './stream.js';
import { PaymentPage } from './payment.js';
import { BudgetPage } from './budget.js';
import { CampaignPage } from './campaign.js';
import { HomePage } from './home.js';
import type { Page } from './page.js';
import { SpendPage } from './spend.js';
import { VaultPage } from './vault.js';
import { OverviewPage } from './overview.js';
import { AuditPage } from './audit.js';
import { VotePage } from './vote.js';

export const PAGES: Readonly<Record<PageName, Page>> = {
  home: HomePage,
  stream: StreamPage,
  payment: PaymentPage,
  budget: BudgetPage,
  campaign: CampaignPage,
  vault: VaultPage,
  spend: SpendPage,
  vote: VotePage,
  audit: AuditPage,
  auditOf: AuditPage,
  overview: OverviewPage,
};
