/** Fields that several operations of streams take. */
import { z } from 'zod';
import {
  AddressField,
  AmountField,
  DecimalField,
  LastSecond,
  Description,
  Seconds,
  UnixSeconds,
} from '../../bch/fields.js';
import { PushMinimumField } from '../../offer/push-minimum.js';
import { EVENT_TYPES } from '../../record/events.js';
import { LaunchContext, STREAM_TYPES } from './stream.js';

/** A stream by its id or its label. */
export const StreamId = z.string().min(1).max(100).describe('Stream id, or label such as STREAM-0001');

/** A vault by its id or its on-chain id. */
export const VaultId = z
  .string()
  .min(1)
  .max(100)
  .describe('Vault id, label such as VAULT-0001, or its 64 hex digits');

/** The caller's place of launch; an empty one is none. */
export const LaunchContextField = LaunchContext.nullish().describe('Where this was launched from');

/** The schedule of a stream, as create and the rows of a batch take it. */
export const ScheduleFields = {
  recipient: AddressField,
  totalAmount: AmountField.describe('Display units, above 0'),
  streamType: z
    .enum(STREAM_TYPES)
    .nullish()
    .describe(`${STREAM_TYPES.join(', ')}; or scheduleTemplate`),
  startTime: UnixSeconds.nullish().describe('Unix seconds; default now'),
  endTime: UnixSeconds.nullish().describe("Unix seconds; default the template's days, or 365"),
  cliffTimestamp: UnixSeconds.nullish().describe('LINEAR and STEP: nothing vests before it'),
  intervalSeconds: Seconds.nullish().describe('STEP and RECURRING: divides the duration exactly'),
  amountPerInterval: AmountField.nullish().describe('Refillable RECURRING: what each interval pays'),
  hybridUnlockTimestamp: UnixSeconds.nullish().describe('HYBRID: when the upfront part vests'),
  hybridUpfrontPercentage: DecimalField.nullish().describe('HYBRID: above 0 and below 100'),
  trancheSchedule: z
    .array(z.object({ unlockTime: UnixSeconds, amount: AmountField }))
    .max(1_000)
    .nullish()
    .describe('TRANCHE: 1 to 30, strictly rising in time, amounts adding up to totalAmount'),
  refillable: z.boolean().nullish().describe('RECURRING: open-ended, refilled by the sender'),
  cancelable: z.boolean().nullish().describe('Default true; false: it can be neither paused nor cancelled'),
  transferable: z.boolean().nullish().describe('Default true, but for RECURRING'),
  pushMinimum: PushMinimumField,
  description: Description.nullish(),
  scheduleTemplate: z
    .string()
    .max(100)
    .nullish()
    .describe('A ready-made schedule: the list of templates has their names'),
  launchContext: LaunchContextField,
};
/** {@link ScheduleFields} as a body. */
export const ScheduleBody = z.object(ScheduleFields);
export type ScheduleRequest = z.output<typeof ScheduleBody>;

/** Filters of lists and the activity. Source: docs/design/api.md. */
export const SearchFields = {
  address: AddressField.optional().describe('Sender or recipient'),
  vaultId: VaultId.optional(),
  contextSource: z.string().max(100).optional().describe('Source of the launch context, for example dao'),
  treasury: z.boolean().optional().describe('Only what is linked to a vault'),
};

/** {@link SearchFields}, and either party. */
export const ListFields = {
  recipient: AddressField.optional(),
  sender: AddressField.optional(),
  ...SearchFields,
};

/** Filters of the activity and the batch runs. */
export const ActivityFields = {
  ...SearchFields,
  eventType: z
    .enum([...EVENT_TYPES, 'claim'])
    .optional()
    .describe('For example claimed (claim is accepted for it)'),
  dateFrom: UnixSeconds.optional().describe('Unix seconds, from this second on'),
  dateTo: LastSecond.optional().describe('Unix seconds, this second included'),
};
