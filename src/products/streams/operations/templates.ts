/** The catalog of schedule templates. */
import { z } from 'zod';
import { column } from '../../../operation/columns.js';
import { defineOperation } from '../../../operation/define.js';
import { previewOf, Template, TEMPLATES } from '../templates.js';

const TemplateReply = Template.extend({
  streamType: z.string(),
  contract: z.string().describe('The covenant that it is deployed on'),
  supportsTokens: z.boolean(),
  preview: z
    .array(z.object({ day: z.number(), percent: z.number() }))
    .describe('Corners of the curve, to be joined by lines'),
});

const CATALOG = TEMPLATES.map((template) => ({
  ...template,
  contract: template.streamType === 'RECURRING' ? 'RecurringPayment' : 'Stream',
  supportsTokens: true,
  preview: previewOf(template),
}));

export const templates = defineOperation({
  id: 'streams.templates',
  summary: 'List the schedule templates',
  http: { method: 'GET', path: '/api/streams/templates' },
  auth: 'none',
  input: z.object({}),
  output: z.object({ templates: z.array(TemplateReply), total: z.number() }),
  errors: [],
  isConstant: true,
  run: () => Promise.resolve({ templates: CATALOG, total: CATALOG.length }),
  view: (reply) => [
    {
      kind: 'table',
      head: [
        column.key('Template'),
        column.text('Type', 2),
        column.amount('Days', 2),
        column.prose('What it does'),
      ],
      rows: reply.templates.map(({ id, streamType, durationDays, description }) => [
        id,
        streamType,
        String(durationDays),
        description,
      ]),
    },
  ],
});
