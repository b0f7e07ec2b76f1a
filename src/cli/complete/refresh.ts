/** Looks up the names of a home and writes them for completion. */
import { renameSync, writeFileSync } from 'node:fs';
import { loadDeployables, openApp } from '../../app.js';
import { isNetwork } from '../../bch/network.js';
import type { Context } from '../../operation/context.js';
import { tokenCollection } from '../../record/assets.js';
import { contactCollection } from '../../record/contacts.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { shellLabel } from '../../record/labels.js';
import { webhookCollection } from '../../record/webhooks/webhook.js';
import { readSettings } from '../../settings/settings.js';
import { namesFile, type HomeNames, type NamedHome, type NamedThing } from './home-names.js';

/** Nobody reads on in a longer list. */
const MOST_OF_A_NOUN = 500;

const labelsOf = async (
  { module, collection, label, otherNames }: Deployable,
  store: Context['store'],
): Promise<readonly [noun: string, labels: readonly NamedThing[]]> => {
  const { items } = await store.find(collection, { order: 'newest', limit: MOST_OF_A_NOUN });
  const named = (
    items as readonly (CovenantRecord & { readonly title?: string; readonly status: string })[]
  ).map((record): NamedThing => [
    shellLabel(otherNames(record)[0] ?? label(record)),
    record.title ?? record.status,
  ]);
  return [module, named];
};

/** Proposals, which are no covenants and have labels all the same. */
const proposalsOf = async (store: Context['store']): Promise<readonly NamedThing[]> => {
  const { collections } = await import('../../collections.js');
  const proposals = collections.find(({ name }) => name === 'proposals');
  if (proposals === undefined) return [];
  const { items } = await store.find(proposals, { order: 'newest', limit: MOST_OF_A_NOUN });
  return (items as readonly { readonly label: string | null; readonly title: string }[]).flatMap(
    ({ label, title }) => (label === null ? [] : [[shellLabel(label), title] as const]),
  );
};

const webhooksOf = async (store: Context['store']): Promise<readonly NamedThing[]> => {
  const { items } = await store.find(webhookCollection, { order: 'newest', limit: MOST_OF_A_NOUN });
  return items.map(({ label, url }) => [shellLabel(label), url]);
};

const lookUp = async ({ store, keys }: Context): Promise<HomeNames> => {
  const [wallets, contacts, tokens, deployables] = await Promise.all([
    keys.list(),
    store.find(contactCollection),
    store.find(tokenCollection),
    loadDeployables(),
  ]);
  const ofWallets = wallets.map(({ name, address }): NamedThing => [name, address.text]);
  const ofContacts = contacts.items.map(({ id, address }): NamedThing => [id, address]);
  return {
    wallets: ofWallets,
    contacts: ofContacts,
    parties: [...ofWallets, ...ofContacts.map(([name, address]): NamedThing => [`@${name}`, address])],
    tokens: tokens.items.map(({ id, symbol }): NamedThing => [id, symbol]),
    labels: {
      ...Object.fromEntries(await Promise.all(deployables.map((one) => labelsOf(one, store)))),
      governance: await proposalsOf(store),
      webhooks: await webhooksOf(store),
    },
  };
};

/** Writes the names of a home. Nothing of the home is made for it, and nobody is asked for a passphrase. */
export const refreshNames = async ({ home, network }: NamedHome): Promise<void> => {
  if (!isNetwork(network)) return;
  const folders = { data: home, config: home };
  const { context, close } = await openApp({
    home,
    network,
    outside: readSettings({ flags: {}, env: {}, cwd: home, folders }, { passOverUnknown: true }),
    part: 'home',
    askPassphrase: () => Promise.reject(new Error('nobody is asked')),
  });
  try {
    const file = namesFile({ home, network });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(await lookUp(context)), { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } finally {
    await close();
  }
};
