/** Webhooks: addresses that are told of events. */
import type { Offer } from '../../operation/define.js';
import type { ToldRecords } from '../../record/deployable.js';
import { add } from './add.js';
import { enable, remove, rotate } from './change.js';
import { deliveries, list, show } from './read.js';
import { defineResend } from './resend.js';
import { test } from './test-message.js';

/** Declares the operations over who may read the records that events are about. */
export const defineWebhooks = (told: readonly ToldRecords[]): readonly Offer[] => [
  add,
  list,
  show,
  test,
  deliveries,
  defineResend(told),
  rotate,
  enable,
  remove,
];
