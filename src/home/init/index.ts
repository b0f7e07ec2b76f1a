/** Setting up a home. */
import type { Offer } from '../../operation/define.js';
import { init } from './init.js';

export const operations: readonly Offer[] = [init];
