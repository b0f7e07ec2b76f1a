/** CashTokens: minting one, and the registry of symbols and decimals. */
import type { Offer } from '../../operation/define.js';
import { add, list } from './token.js';
import { create } from './create.js';
import { importRegistry } from './import.js';

export const operations: readonly Offer[] = [create, importRegistry, add, list];
