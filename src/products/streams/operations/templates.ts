/** The catalog of schedule templates. */
import { z } from 'zod';
import { defineOperation } from '../../../operation/define.js';
import { previewOf, TEMPLATES } from '../templates.js';

const days = z.number().nullable();
const TemplateReply = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  streamType: z.string(),
  contract: z.string().describe('The covenant that it is deployed on'),
  durationDays: z.number(),
  cliffDays: days,
  intervalDays: days,
  unlockDay: days,
  unlockPercent: z.number().nullable(),
  trancheDays: z.array(z.number()).nullable(),
  tranchePercentages: z.array(z.number()).nullable(),
  refillable: z.boolean(),
  supportsTokens: z.boolean(),
  tags: z.array(z.string()),
  preview: z
    .array(z.object({ day: z.number(), percent: z.number() }))
    .describe('Corners of the curve, to be joined by lines'),
});

export const templates = defineOperation({
  id: 'streams.templates',
  summary: 'List the schedule templates',
  http: { method: 'GET', path: '/api/streams/templates' },
  auth: 'none',
  input: z.object({}),
  output: z.object({ templates: z.array(TemplateReply), total: z.number() }),
  errors: [],
  run: () =>
    Promise.resolve({
      templates: TEMPLATES.map((template) => ({
        ...template,
        contract: template.streamType === 'RECURRING' ? 'RecurringPayment' : 'Stream',
        trancheDays: template.trancheDays === null ? null : [...template.trancheDays],
        tranchePercentages: template.tranchePercentages === null ? null : [...template.tranchePercentages],
        supportsTokens: true,
        tags: [...template.tags],
        preview: [...previewOf(template)],
      })),
      total: TEMPLATES.length,
    }),
  view: (reply) => [
    {
      kind: 'table',
      head: ['Template', 'Type', 'Days', 'What it does'],
      rows: reply.templates.map(({ id, streamType, durationDays, description }) => [
        id,
        streamType,
        String(durationDays),
        description,
      ]),
    },
  ],
});
