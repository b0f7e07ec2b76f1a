/** The page of each address, each in a file of its own. */
import type { PageName } from '../../page-paths.js';
import { lazyPage } from './lazy-page.js';
import type { Page } from './page.js';

const auditPage = lazyPage(async () => (await import('./audit.js')).AuditPage);

export const PAGES: Readonly<Record<PageName, Page>> = {
  home: lazyPage(async () => (await import('./home.js')).HomePage),
  stream: lazyPage(async () => (await import('./stream.js')).StreamPage),
  payment: lazyPage(async () => (await import('./payment.js')).PaymentPage),
  budget: lazyPage(async () => (await import('./budget.js')).BudgetPage),
  campaign: lazyPage(async () => (await import('./campaign.js')).CampaignPage),
  vault: lazyPage(async () => (await import('./vault.js')).VaultPage),
  spend: lazyPage(async () => (await import('./spend.js')).SpendPage),
  vote: lazyPage(async () => (await import('./vote.js')).VotePage),
  audit: auditPage,
  auditOf: auditPage,
  overview: lazyPage(async () => (await import('./overview.js')).OverviewPage),
};
