/** Fields that several operations of campaigns take. */
import { z } from 'zod';

/** A campaign by its id or its label. */
export const CampaignId = z.string().min(1).max(100).describe('Campaign id, or label such as REWARD-0001');
