/** What the daemon says of itself, asked once; until then nothing else is asked. */
import { get } from './api.js';
import { failureOf, type PageFailure } from './failure.js';
import { cell } from './state.js';
import { service, type ServiceFacts } from './who.js';

/** Why the daemon has not said it; null: it has, or is being asked. */
export const serviceFailure = cell<PageFailure | null>(null);

/** Asks the daemon for its network and for what it knows of phones. */
export const learnService = async (): Promise<void> => {
  serviceFailure.set(null);
  try {
    const { network, version, page } = await get('/api');
    service.set({
      network: String(network),
      version: String(version),
      page: (page ?? null) as ServiceFacts['page'],
    });
  } catch (error) {
    serviceFailure.set(failureOf(error));
  }
};
