/** Keys for scripts: made, listed, shown and revoked by whoever they act for, and by nobody who has only a key. */
import { z } from 'zod';
import { Title } from '../../bch/fields.js';
import { TreasuryError } from '../../errors.js';
import { defineOperation, type Offer, type RunContext } from '../../operation/define.js';
import { PageFields, pageOf, PageReply } from '../../operation/paging.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { keyTeller } from '../../operation/script-keys/refusals.js';
import { scriptKeyCollection } from '../../operation/script-keys/script-key.js';
import { normaliseLabel } from '../../record/labels.js';
import { defineCreate } from './create.js';
import { factsOfKey, isLive, KeyReply, showKey, tableOfKeys } from './key-reply.js';

const KeyId = Title.describe('Label such as KEY-0001, or its name');

/** The caller's key of that label or name, revoked ones last. @throws key_not_found */
const findOwn = async (id: string, { text: address }: RunContext<'bearer'>['caller'], store: StoreReader) => {
  const { items } = await store.find(scriptKeyCollection, { where: { address } });
  const called = items.filter(({ label, name }) => label === normaliseLabel(id) || name === id.trim());
  const found = called.find(isLive) ?? called[0];
  if (found === undefined) throw new TreasuryError('key_not_found', { id });
  return found;
};

const list = defineOperation({
  id: 'keys.list',
  summary: 'List your keys for scripts, newest first',
  http: { method: 'GET', path: '/api/keys' },
  cli: { homeOnly: true },
  auth: 'bearer',
  forKeys: 'never',
  input: z.object(PageFields),
  output: z.object({ keys: z.array(KeyReply), ...PageReply }),
  errors: [],
  run: async (paging, context) => {
    const { store, caller } = context;
    const query = { where: { address: caller.text } };
    const { items, ...page } = await pageOf(store, scriptKeyCollection, query, paging);
    return { keys: await Promise.all(items.map((key) => showKey(key, context))), ...page };
  },
  view: ({ keys }) => [tableOfKeys(keys)],
});

const show = defineOperation({
  id: 'keys.show',
  summary: 'Show what one of your keys may do, and what it has used of it',
  http: { method: 'GET', path: '/api/keys/:id' },
  cli: { homeOnly: true },
  auth: 'bearer',
  forKeys: 'never',
  input: z.object({ id: KeyId }),
  output: z.object(KeyReply.shape),
  errors: ['key_not_found'],
  run: async ({ id }, context) => showKey(await findOwn(id, context.caller, context.store), context),
  view: (key) => [factsOfKey(key)],
});

const revoke = defineOperation({
  id: 'keys.revoke',
  summary: 'Revoke one of your keys: it is refused from now on, everywhere',
  http: { method: 'DELETE', path: '/api/keys/:id' },
  cli: { homeOnly: true, example: 'keys revoke ci' },
  auth: 'bearer',
  forKeys: 'never',
  input: z.object({ id: KeyId }),
  output: z.object({ message: z.string(), ...KeyReply.shape }),
  errors: ['key_not_found'],
  run: async ({ id }, context) => {
    const { caller, clock, store } = context;
    const now = clock.wall();
    const tell = await keyTeller(context);
    const revoked = await store.transaction(async (writer) => {
      const key = await findOwn(id, caller, writer);
      if (key.revoked_at !== null) return key;
      const changed = { ...key, revoked_at: now };
      writer.put(scriptKeyCollection, changed);
      await tell(writer, { type: 'key.revoked', key: changed, time: now, data: {} });
      return changed;
    });
    return { message: `${revoked.name} (${revoked.label}) is revoked`, ...(await showKey(revoked, context)) };
  },
  view: ({ message }) => [{ kind: 'text', text: `${message}.` }],
});

/** The operations of keys. @param loadOffers all that there is to allow */
export const defineKeys = (
  loadOffers: () => Promise<readonly Offer[]>,
): { readonly operations: readonly Offer[] } => {
  // Those of keys are among what there is, too: as what no key may do.
  const create = defineCreate(async () => [...(await loadOffers()), ...operations]);
  const operations: readonly Offer[] = [create, list, show, revoke];
  return { operations };
};
