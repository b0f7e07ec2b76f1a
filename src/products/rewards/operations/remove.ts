/** Removing a campaign from the list: the record stays, hidden unless showDeprecated is asked for. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { campaignCollection } from '../campaign.js';
import { campaigns } from '../product.js';

export const remove = defineOperation({
  id: 'rewards.remove',
  summary: 'Remove a PENDING or CANCELLED campaign from the list',
  description: 'A campaign that holds money cannot be removed. `showDeprecated` lists removed ones too.',
  http: { method: 'DELETE', path: '/api/rewards/:id' },
  auth: 'bearer',
  forKeys: 'measured',
  input: z.object({ id: campaigns.id }),
  output: z.object({ message: z.string(), id: z.string(), label: z.string() }),
  errors: ['reward_not_found', 'not_creator', 'wrong_state', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { id: uuid } = await campaigns.follow(id, context);
    const now = context.clock.now();
    return context.store.transaction(async (writer) => {
      // Check: creator, and nothing in it.
      const campaign = await campaigns.find(writer, uuid);
      campaigns.checkMove(campaign, 'remove', context.caller.text);

      // Record: hidden, not lost.
      writer.put(campaignCollection, { ...campaign, deprecated: true, updated_at: now });
      return {
        message: `${campaign.campaign_id} is removed from the list`,
        id: uuid,
        label: campaign.campaign_id,
      };
    });
  },
  view: ({ message }) => [{ kind: 'text', text: `${message}.` }],
});
