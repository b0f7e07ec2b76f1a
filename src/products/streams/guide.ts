/** How a stream is asked for: what its type has, and nothing else. */
import { chooseVault } from '../vaults/index.js';
import type { Answers, Guide, GuideChoice } from '../../operation/guide.js';
import type { View } from '../../operation/define.js';
import { drawCurve } from './chart.js';
import type { ShownStream } from './reply.js';
import { curvePoints, intervalSegments, segmentsOf, type Segment } from './schedule.js';
import type { StreamType } from './stream.js';
import { previewOf, TEMPLATES } from './templates.js';

const BARS = ' ▁▂▃▄▅▆▇█';

/** The curve of a template in a few characters. */
const sparkline = (points: ReturnType<typeof previewOf>): string => {
  const last = points.at(-1)?.day ?? 1;
  return Array.from({ length: 8 }, (_, index) => {
    const day = (last * (index + 1)) / 8;
    const at = points.findLastIndex((point) => point.day <= day);
    const [before, after] = [points[at], points[at + 1]];
    const grown =
      before === undefined || after === undefined || after.day === before.day
        ? 0
        : ((after.percent - before.percent) * (day - before.day)) / (after.day - before.day);
    return BARS[Math.round((((before?.percent ?? 0) + grown) / 100) * (BARS.length - 1))] ?? '';
  }).join('');
};

const templateChoices = (): readonly GuideChoice[] =>
  TEMPLATES.map((template) => ({
    value: template.id,
    name: `${template.id.padEnd(26)}  ${sparkline(previewOf(template))}  ${template.description}`,
  }));

const TYPES: Readonly<Record<StreamType, string>> = {
  LINEAR: 'grows every second',
  STEP: 'grows once every interval',
  HYBRID: 'a part at once on a day, the rest every second',
  TRANCHE: 'amounts of your own on days of your own',
  RECURRING: 'the same amount every interval',
};

const isType =
  (...types: readonly StreamType[]) =>
  ({ streamType }: Answers): boolean =>
    (types as readonly unknown[]).includes(streamType);

const isShaped = ({ scheduleTemplate }: Answers): boolean => scheduleTemplate === undefined;

const segmentsShown = (stream: ShownStream): readonly Segment[] => {
  const { interval_seconds: interval, amount_per_interval: each } = stream;
  const total = BigInt(stream.total_amountOnChain);
  if (stream.stream_type === 'RECURRING' && interval !== null && each !== null) {
    const paid = BigInt(stream.amount_per_intervalOnChain ?? '1');
    const count = Math.max(1, Math.min(120, Number(total / paid)));
    return intervalSegments(count, interval, (periods) => BigInt(periods) * paid);
  }
  return segmentsOf({
    stream_type: stream.stream_type,
    total_amount: total,
    start_time: stream.start_time,
    end_time: stream.end_time,
    cliff_timestamp: stream.cliff_timestamp,
    interval_seconds: interval,
    hybrid_unlock_time: stream.hybrid_unlock_time,
    hybrid_upfront_percentage:
      stream.hybrid_upfront_percentage === null ? null : String(stream.hybrid_upfront_percentage),
    tranche_schedule:
      stream.tranche_schedule?.map(({ unlockTime, amountOnChain }) => ({
        unlock_time: unlockTime,
        amount: BigInt(amountOnChain),
      })) ?? null,
  });
};

/** What will have vested by when. */
export const previewStream = ({ stream }: { readonly stream: ShownStream }): View => {
  const { start_time: start, total_amountOnChain: total } = stream;
  const points = curvePoints(segmentsShown(stream)).map(({ offset, amount }) => ({
    time: start + offset,
    share: Number(amount) / Number(total),
  }));
  return [{ kind: 'drawing', draw: (columns) => drawCurve({ points, now: start, claimed: 0 }, columns) }];
};

export const streamGuide: Guide = {
  intro: 'A stream pays one recipient over time. It is created here, and funded by the next command.',
  order: [
    'vaultId',
    'recipient',
    'tokenCategory',
    'totalAmount',
    'scheduleTemplate',
    'streamType',
    'startTime',
    'refillable',
    'intervalSeconds',
    'endTime',
    'cliffTimestamp',
    'hybridUnlockTimestamp',
    'hybridUpfrontPercentage',
    'amountPerInterval',
    'trancheSchedule',
    'cancelable',
    'transferable',
    'description',
    'pushMinimum',
  ],
  questions: {
    vaultId: { item: 'Vault', ask: 'Does it belong to a vault?', enter: 'no', choices: chooseVault },
    recipient: { ask: 'Who gets it? A number of these, @name or an address' },
    tokenCategory: { ask: 'What does it pay?' },
    totalAmount: { ask: 'How much in all?' },
    scheduleTemplate: {
      ask: 'How does it vest?',
      enter: 'as I say it  type, dates and amounts of your own; or a template:',
      choices: templateChoices,
      when: ({ streamType }) => streamType === undefined,
    },
    streamType: {
      ask: 'Of which type?',
      isNeeded: true,
      when: isShaped,
      choices: () =>
        Object.entries(TYPES).map(([value, name]) => ({ value, name: `${value.padEnd(9)}  ${name}` })),
    },
    // Said as it is now, so that the same command later gives the same stream.
    startTime: { ask: 'When does it start?', suggest: () => 'now' },
    refillable: {
      ask: 'Open-ended, for as long as you refill it?',
      when: isType('RECURRING'),
      suggest: () => 'no',
    },
    intervalSeconds: {
      ask: 'How long is an interval? 7d, monthly, ...',
      isNeeded: true,
      when: isType('STEP', 'RECURRING'),
    },
    endTime: {
      ask: 'When does it end?',
      suggest: () => '+365d',
      when: (answers) =>
        isType('LINEAR', 'STEP', 'HYBRID')(answers) ||
        (isType('RECURRING')(answers) && answers['refillable'] !== true),
    },
    cliffTimestamp: {
      ask: 'A cliff: until when does nothing vest?',
      enter: 'no cliff',
      when: isType('LINEAR', 'STEP'),
    },
    hybridUnlockTimestamp: { ask: 'When does the part vest?', isNeeded: true, when: isType('HYBRID') },
    hybridUpfrontPercentage: {
      ask: 'How many percent is it?',
      isNeeded: true,
      when: isType('HYBRID'),
    },
    amountPerInterval: {
      ask: 'How much does each interval pay?',
      enter: 'all of it, once',
      when: (answers) => isType('RECURRING')(answers) && answers['refillable'] === true,
    },
    trancheSchedule: {
      item: 'Tranche',
      isNeeded: true,
      when: isType('TRANCHE'),
      columns: { unlockTime: { ask: 'when?' }, amount: { ask: 'how much?' } },
      sum: { column: 'amount', to: 'totalAmount' },
    },
    cancelable: {
      ask: 'May you pause and cancel it?',
      suggest: () => 'yes',
      when: ({ refillable }) => refillable !== true,
    },
    transferable: {
      ask: 'May the recipient pass it on?',
      suggest: () => 'yes',
      when: (answers) =>
        !isType('RECURRING')(answers) && !String(answers['scheduleTemplate']).startsWith('recurring'),
    },
    pushMinimum: {
      ask: 'May anybody have what is due paid to the recipient? From which amount on?',
      enter: 'nobody but the recipient',
    },
    description: { ask: 'What is it for?' },
    launchContext: { skip: true },
  },
};
