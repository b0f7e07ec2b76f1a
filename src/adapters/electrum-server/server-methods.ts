/** Methods about the server itself, what the network charges, block headers and the tip. */
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import { hashHeader, proveMerkle } from '../../bch/block-header.js';
import { FEE_SATS_PER_BYTE } from '../../bch/transaction.js';
import type { LocalChain } from '../local-chain/local-chain.js';
import { refusal } from './json-rpc.js';
import {
  answerSubscription,
  compareVersions,
  HEADER_LISTS,
  PROTOCOL_MAX,
  PROTOCOL_MIN,
  readHash,
  readHeight,
  speaks,
  type MethodTable,
  type ShownHeader,
  type Site,
} from './session.js';

const SOFTWARE = 'treasury embedded chain';
/** BCH a kilobyte. */
const RELAY_FEE = Number(formatUnits(FEE_SATS_PER_BYTE * 1_000n, BCH_DECIMALS));

const isVersion = (value: unknown): value is string =>
  typeof value === 'string' && /^\d+(\.\d+){0,3}$/.test(value);

/** The version that both sides speak: exactly the one that was asked for, or the newest of a range. */
const negotiateVersion = (asked: unknown): string => {
  const range: readonly unknown[] = Array.isArray(asked) ? asked : [asked, asked];
  const [least, most] = range;
  const unsupported = () => refusal('Unsupported protocol version', undefined, { closes: true });
  if (!isVersion(least) || !isVersion(most)) throw unsupported();
  const version = compareVersions(most, PROTOCOL_MAX) > 0 ? PROTOCOL_MAX : most;
  if (compareVersions(version, least) < 0 || compareVersions(version, PROTOCOL_MIN) < 0) throw unsupported();
  return version;
};

const greet = ([, asked = PROTOCOL_MIN]: readonly unknown[], { session }: Site): [string, string] => {
  if (session.version !== null) throw refusal('server.version already sent');
  session.version = negotiateVersion(asked);
  return [SOFTWARE, session.version];
};

const listFeatures = async (_params: readonly unknown[], { chain, host, ports }: Site) => ({
  genesis_hash: hashHeader((await chain.header(0)) ?? ''),
  hosts: { [host]: ports },
  protocol_max: PROTOCOL_MAX,
  protocol_min: PROTOCOL_MIN,
  pruning: null,
  server_version: SOFTWARE,
  hash_function: 'sha256',
  dsproof: false,
  cashtokens: true,
});

const constant = (value: unknown, parameters: readonly [number, number] = [0, 0]) => ({
  parameters,
  run: () => value,
});

export const serverMethods: MethodTable = {
  'server.version': { parameters: [0, 2], run: greet },
  'server.features': { parameters: [0, 0], run: listFeatures },
  'server.ping': constant(null),
  'server.banner': constant(`Connected to the ${SOFTWARE}`),
  'server.donation_address': constant(''),
  'server.peers.subscribe': constant([]),
  'blockchain.relayfee': constant(RELAY_FEE),
  'blockchain.estimatefee': constant(RELAY_FEE, [1, 2]),
  'mempool.get_fee_histogram': constant([]),
  'mempool.get_info': constant({
    mempoolminfee: RELAY_FEE,
    minrelaytxfee: RELAY_FEE,
    incrementalrelayfee: RELAY_FEE,
  }),
};

/** Most headers of one answer. Source: Electrum servers. */
const MOST_HEADERS = 2_016;

/** The tip as the protocol shows it. */
export const readTip = async (chain: LocalChain): Promise<ShownHeader> => {
  const { height } = await chain.tip();
  return { height, hex: (await chain.header(height)) ?? '' };
};

const headersFrom = async (chain: LocalChain, start: number, count: number): Promise<string[]> => {
  const headers: string[] = [];
  while (headers.length < count) {
    const header = await chain.header(start + headers.length);
    if (header === null) break;
    headers.push(header);
  }
  return headers;
};

/** The proof that a header is below a checkpoint; nothing when no checkpoint was named. */
const checkpointProof = async (
  chain: LocalChain,
  height: number,
  checkpoint: number,
): Promise<Record<string, unknown>> => {
  if (checkpoint === 0) return {};
  const tip = await chain.tip();
  if (height > checkpoint || checkpoint > tip.height) {
    throw refusal(
      `header height ${height} must be <= cp_height ${checkpoint} which must be <= chain height ${tip.height}`,
    );
  }
  const headers = await headersFrom(chain, 0, checkpoint + 1);
  return proveMerkle(headers.map(hashHeader), height);
};

const readCheckpoint = (value: unknown): number => readHeight(value, 'Invalid cp_height', 0);

const headerAt = async (chain: LocalChain, height: number): Promise<string> => {
  const header = await chain.header(height);
  if (header === null) throw refusal('Invalid height');
  return header;
};

const getHeader = async ([given, checkpointGiven]: readonly unknown[], { chain }: Site) => {
  const height = readHeight(given, 'Invalid height');
  const checkpoint = readCheckpoint(checkpointGiven);
  const header = await headerAt(chain, height);
  return checkpoint === 0 ? header : { header, ...(await checkpointProof(chain, height, checkpoint)) };
};

const getHeaders = async (
  [startGiven, countGiven, checkpointGiven]: readonly unknown[],
  { chain, session }: Site,
) => {
  const start = readHeight(startGiven, 'Invalid height');
  const wanted = readHeight(countGiven, 'Invalid count');
  const checkpoint = readCheckpoint(checkpointGiven);
  const headers = await headersFrom(chain, start, Math.min(wanted, MOST_HEADERS));
  const proof =
    headers.length === 0 ? {} : await checkpointProof(chain, start + headers.length - 1, checkpoint);
  const content = speaks(session, HEADER_LISTS) ? { headers } : { hex: headers.join('') };
  return { count: headers.length, ...content, max: MOST_HEADERS, ...proof };
};

/** A header by height or by block hash. */
const findHeader = async ([given]: readonly unknown[], { chain }: Site): Promise<ShownHeader> => {
  if (typeof given !== 'string') {
    const height = readHeight(given, 'Invalid height');
    return { height, hex: await headerAt(chain, height) };
  }
  const hash = readHash(given, 'Invalid block hash');
  const { height: tip } = await chain.tip();
  for (let height = tip; height >= 0; height -= 1) {
    const hex = await headerAt(chain, height);
    if (hashHeader(hex) === hash) return { height, hex };
  }
  throw refusal('No such block');
};

export const headerMethods: MethodTable = {
  'blockchain.block.header': { parameters: [1, 2], run: getHeader },
  'blockchain.block.headers': { parameters: [2, 3], run: getHeaders },
  'blockchain.header.get': { parameters: [1, 1], run: findHeader },
  'blockchain.headers.get_tip': { parameters: [0, 0], run: (_params, { chain }) => readTip(chain) },
  'blockchain.headers.subscribe': {
    parameters: [0, 0],
    run: (_params, { chain, session }) => {
      session.tip = { told: null };
      return answerSubscription(session.tip, () => readTip(chain));
    },
  },
  'blockchain.headers.unsubscribe': {
    parameters: [0, 0],
    run: (_params, { session }) => {
      const wasSubscribed = session.tip !== null;
      session.tip = null;
      return wasSubscribed;
    },
  },
};
