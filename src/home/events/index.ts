/** The event log: what has happened, a page at a time, and as it happens. */
import type { Offer } from '../../operation/define.js';
import type { ToldRecords } from '../../record/deployable.js';
import { defineList } from './list.js';
import { defineStream } from './stream.js';

/** Declares the operations over who may read the records that events are about. */
export const defineEvents = (told: readonly ToldRecords[]): readonly Offer[] => [
  defineList(told),
  defineStream(told),
];
