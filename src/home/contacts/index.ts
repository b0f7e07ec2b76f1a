/** Contacts: names for the addresses of other people. */
import type { Offer } from '../../operation/define.js';
import { add } from './add.js';
import { list } from './list.js';
import { remove } from './remove.js';
import { show } from './show.js';

export const operations: readonly Offer[] = [add, list, show, remove];
