/** Who reads what a command shows: their names for addresses, where links lead, and what a BCH is worth to them. */
import { NETWORKS, type Network } from '../bch/network.js';
import type { Context } from '../operation/context.js';
import { contactCollection } from '../record/contacts.js';
import type { Settings } from '../settings/settings.js';
import type { Call } from './call.js';
import { withReader } from './output.js';
import { showsLinks, type Rate, type Reader, type Screen } from './screen.js';

/** Where links lead; null: the network has no explorer, or nobody wants links. */
const linkingTo = (
  { environment: { stdout, env } }: Call,
  { explorerUrl, explorerLinks, network }: Pick<Settings, 'explorerUrl' | 'explorerLinks' | 'network'>,
): Screen['linkTo'] => {
  const url = (explorerUrl ?? NETWORKS[network].explorer)?.replace(/\/+$/, '') ?? null;
  return url === null || !explorerLinks || !showsLinks(stdout, env)
    ? null
    : (kind, id) => `${url}/${kind}/${encodeURI(id)}`;
};

/** Wallets of this home and contacts, by address; a wallet's own name stands before what others call it. */
const namesIn = async (
  { store }: Pick<Context, 'store'>,
  wallets: Reader['wallets'],
): Promise<Screen['names']> => {
  const { items } = await store.find(contactCollection);
  return new Map([...items.map(({ id, address }) => [address, `@${id}`] as const), ...wallets]);
};

/** The call, with voices that know who reads. Names are looked up only where a terminal shows them. */
export const knowReader = async (
  call: Call,
  context: Pick<Context, 'store' | 'keys'>,
  { settings, address }: { readonly settings: Settings; readonly address: string | null },
): Promise<Call> => {
  if (call.output.mode !== 'text') return call;
  const { stdout, stderr } = call.environment;
  const wallets = new Map((await context.keys.list()).map((one) => [one.address.text, one.name]));
  const isSeen = stdout.isTTY === true || stderr.isTTY === true;
  const names = isSeen ? await namesIn(context, wallets) : new Map<string, string>();
  const linkTo = linkingTo(call, settings);
  return { ...call, output: withReader(call.output, { names, linkTo, reader: { address, wallets } }) };
};

/** How long a command waits for a rate, milliseconds: it is beside the point. */
const PATIENCE_MS = 800;
/** A rate of this age needs no word about it, seconds. */
const FRESH_SECONDS = 600;
const HOUR = 3_600;
const DAY = 86_400;

const ageOf = (seconds: number): string | null => {
  if (seconds <= FRESH_SECONDS) return null;
  if (seconds < HOUR) return `${Math.round(seconds / 60)} minutes old`;
  return seconds < 2 * DAY
    ? `${Math.round(seconds / HOUR)} hours old`
    : `${Math.round(seconds / DAY)} days old`;
};

type Dated = { readonly usd: number; readonly timestamp: number };

const isDated = (price: unknown): price is Dated & { readonly source: unknown } =>
  typeof price === 'object' &&
  price !== null &&
  'usd' in price &&
  typeof price.usd === 'number' &&
  'timestamp' in price &&
  typeof price.timestamp === 'number';

/** The newest rate that an oracle signed: of now, else that of the latest event that was seen with one. */
const newestSigned = async ({ price, store }: Pick<Context, 'price' | 'store'>): Promise<Dated | null> => {
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, null);
  });
  const quote = await Promise.race([price.latest().catch(() => null), waiting]);
  clearTimeout(timer);
  if (quote?.proof != null) return { usd: quote.usd, timestamp: quote.proof.messageTimestamp };
  const { eventCollection } = await import('../record/events.js');
  const { items } = await store.find(eventCollection, { limit: 20 });
  const kept = items.map(({ details }) => details['price']).filter(isDated);
  return kept.find(({ source }) => source === 'oracle') ?? null;
};

/** The rate to show amounts at; null where no money is real, or none was ever signed. */
export const rateFor = async (
  context: Pick<Context, 'price' | 'store' | 'clock'> & { readonly network: Network },
): Promise<Rate | null> => {
  if (NETWORKS[context.network].servedBy === 'embedded') return null;
  const found = await newestSigned(context);
  return found === null
    ? null
    : { usd: found.usd, age: ageOf(Math.max(0, context.clock.wall() - found.timestamp)) };
};
