/** The page of each address. */
import type { PageName } from '../../page-paths.js';
import { StreamPage } from './stream.js';
import { PaymentPage } from './payment.js';
import { BudgetPage } from './budget.js';
import { CampaignPage } from './campaign.js';
import { Home } from './home.js';
import type { Page } from './page.js';
import { plainPage } from './plain-page.js';
import { SpendPage } from './spend.js';
import { VaultPage } from './vault.js';

export const PAGES: Readonly<Record<PageName, Page>> = {
  home: Home,
  stream: StreamPage,
  payment: PaymentPage,
  budget: BudgetPage,
  campaign: CampaignPage,
  vault: VaultPage,
  spend: SpendPage,
  vote: plainPage('page.vote', '/api/governance/:id'),
  audit: plainPage('page.audit', '/api/status'),
  auditOf: plainPage('page.audit', '/api/deployment/verify/:address'),
  overview: plainPage('page.overview', '/api/status'),
};
