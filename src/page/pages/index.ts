/** The page of each address. */
import type { PageName } from '../../page-paths.js';
import { Home } from './home.js';
import type { Page } from './page.js';
import { plainPage } from './plain-page.js';
import { SpendPage } from './spend.js';
import { VaultPage } from './vault.js';

export const PAGES: Readonly<Record<PageName, Page>> = {
  home: Home,
  stream: plainPage('page.stream', '/api/streams/:id'),
  payment: plainPage('page.payment', '/api/payments/:id'),
  budget: plainPage('page.budget', '/api/budget-plans/:id'),
  campaign: plainPage('page.campaign', '/api/rewards/:id'),
  vault: VaultPage,
  spend: SpendPage,
  vote: plainPage('page.vote', '/api/governance/:id'),
  audit: plainPage('page.audit', '/api/status'),
  auditOf: plainPage('page.audit', '/api/deployment/verify/:address'),
  overview: plainPage('page.overview', '/api/status'),
};
