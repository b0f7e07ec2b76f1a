/** The page of each address. */
import type { PageName } from '../../page-paths.js';
import type { Drawn } from '../html.js';
import { Home } from './home.js';
import { plainPage } from './plain-page.js';

/** A page: what its address says beside its name is given to it. */
export type Page = (asked: { readonly parameters: Readonly<Record<string, string>> }) => Drawn;

export const PAGES: Readonly<Record<PageName, Page>> = {
  home: Home,
  stream: plainPage('page.stream', ({ id }) => `/api/streams/${id}`),
  payment: plainPage('page.payment', ({ id }) => `/api/payments/${id}`),
  budget: plainPage('page.budget', ({ id }) => `/api/budget-plans/${id}`),
  campaign: plainPage('page.campaign', ({ id }) => `/api/rewards/${id}`),
  vault: plainPage('page.vault', ({ id }) => `/api/vaults/${id}`),
  spend: plainPage('page.spend', ({ id, spendId }) => `/api/vaults/${id}/spends/${spendId}`),
  vote: plainPage('page.vote', ({ id }) => `/api/governance/${id}`),
  audit: plainPage('page.audit', () => '/api/status'),
  auditOf: plainPage('page.audit', ({ address }) => `/api/deployment/verify/${address}`),
  overview: plainPage('page.overview', () => '/api/status'),
};
