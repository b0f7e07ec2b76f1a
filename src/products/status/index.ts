/** The health of the service. */
import type { Offer } from '../../operation/define.js';
import { incidents } from './operations/incidents.js';
import { show } from './operations/show.js';

export const operations: readonly Offer[] = [show, incidents];
