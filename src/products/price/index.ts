/** The price of BCH in USD. */
import type { Offer } from '../../operation/define.js';
import { show } from './operations/show.js';

export const operations: readonly Offer[] = [show];
