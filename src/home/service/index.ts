/** The service itself: what it is, and whether it is well. */
import type { Offer } from '../../operation/define.js';
import { about } from './about.js';
import { health } from './health.js';
import { ready } from './ready.js';

export const operations: readonly Offer[] = [about, health, ready];
