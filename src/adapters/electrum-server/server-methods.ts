/** Methods about the server itself, and what the network charges. */
import { formatUnits, BCH_DECIMALS } from '../../bch/amount.js';
import { FEE_SATS_PER_BYTE } from '../../bch/transaction.js';
import { hashHeader } from '../local-chain/blocks.js';
import { refusal } from './json-rpc.js';
import { compareVersions, PROTOCOL_MAX, PROTOCOL_MIN, type MethodTable, type Site } from './session.js';

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
