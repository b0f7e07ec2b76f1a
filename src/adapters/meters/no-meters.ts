/** The meters port where metrics are off. */
import type { MetersPort } from '../../operation/ports/meters.js';

/** Keeps nothing and shows nothing. */
export const noMeters: MetersPort = { count: () => undefined, set: () => undefined, http: null };
