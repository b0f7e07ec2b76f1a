/** A phone with the relays of both protocols, until the test ends. */
import type { ExecutionContext } from 'ava';
import { startPhone } from './phone.js';
import { startNostrRelay } from './nostr-relay.js';
import { PROJECT_ID, startRelay } from './relay.js';

/** @param seed 32 hex digits: whose phone it is */
export const openPhone = async (t: ExecutionContext, seed: string) => {
  const [relay, nostr] = [await startRelay(), await startNostrRelay()];
  const phone = startPhone({ seed, chain: 'bchtest', relay: relay.url, projectId: PROJECT_ID });
  t.teardown(async () => {
    await phone.stop();
    await relay.close();
    await nostr.close();
  });
  return { relay, nostr, phone };
};
