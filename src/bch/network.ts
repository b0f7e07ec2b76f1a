/** The networks, their address prefixes, and who serves them. Source: docs/design/following.md, Networks. */

type NetworkEntry = {
  /** Cash address prefix. Source: CashAddr specification. */
  readonly prefix: 'bitcoincash' | 'bchtest' | 'bchreg';
  /** `embedded`: the chain inside this program; `electrum`: servers that speak the Electrum Cash protocol. */
  readonly servedBy: 'embedded' | 'electrum';
  /** True where users' wallets can broadcast by themselves. */
  readonly walletsReach: boolean;
  readonly isMainnet: boolean;
  /** The name CashScript knows it by (it decides the prefix of contract addresses). */
  readonly cashscriptName: 'mainnet' | 'chipnet' | 'regtest';
  /** A block explorer that shows `/tx/<txid>` and `/address/<address>`; null: there is none for it. */
  readonly explorer: string | null;
};

const TEST = {
  prefix: 'bchtest',
  servedBy: 'electrum',
  walletsReach: true,
  isMainnet: false,
  cashscriptName: 'chipnet',
  explorer: null,
} as const;

export const NETWORKS = {
  local: { ...TEST, servedBy: 'embedded', walletsReach: false },
  regtest: { ...TEST, prefix: 'bchreg', walletsReach: false, cashscriptName: 'regtest' },
  chipnet: { ...TEST, explorer: 'https://chipnet.imaginary.cash' },
  testnet3: { ...TEST, explorer: 'https://tbch.loping.net' },
  testnet4: { ...TEST, explorer: 'https://tbch4.loping.net' },
  mainnet: {
    prefix: 'bitcoincash',
    servedBy: 'electrum',
    walletsReach: true,
    isMainnet: true,
    cashscriptName: 'mainnet',
    explorer: 'https://explorer.bitcoinunlimited.info',
  },
} as const satisfies Record<string, NetworkEntry>;

export type Network = keyof typeof NETWORKS;
export type AddressPrefix = NetworkEntry['prefix'];

export const networkNames = Object.keys(NETWORKS) as Network[];

/**
 * True when `name` is a network of the table.
 *
 * @example
 * isNetwork('chipnet'); // true
 */
export const isNetwork = (name: string): name is Network => Object.hasOwn(NETWORKS, name);

/**
 * The name that public answers give a network. The specification knows no embedded chain and no regtest: both stand in
 * for chipnet, its test network.
 *
 * @example
 * publicNetworkName('local'); // 'chipnet'
 */
export const publicNetworkName = (network: Network): Exclude<Network, 'local' | 'regtest'> =>
  network === 'local' || network === 'regtest' ? 'chipnet' : network;
