/** CashTokens: minting one, and the registry of symbols and decimals. */
import type { Offer } from '../../operation/define.js';
import { add } from './add.js';
import { create } from './create.js';
import { importRegistry } from './import.js';
import { list } from './list.js';

export const operations: readonly Offer[] = [create, importRegistry, add, list];
