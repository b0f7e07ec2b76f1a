/** The embedded chain: faucet, mining, time, reorganisations. */
import type { Offer } from '../../operation/define.js';
import { advance } from './advance.js';
import { faucet } from './faucet.js';
import { mine } from './mine.js';
import { reorg } from './reorg.js';
import { reset } from './reset.js';
import { status } from './status.js';

export const operations: readonly Offer[] = [faucet, mine, advance, reorg, status, reset];
