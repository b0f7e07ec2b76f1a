/** Fields that several operations of payments take. */
import { z } from 'zod';

/** A payment by its id or its label. */
export const PaymentId = z.string().min(1).max(100).describe('Payment id, or label such as PAY-0001');

/** A number of periods. */
export const Periods = z.int().min(1).max(1_000_000).describe('Number of periods, from 1');
