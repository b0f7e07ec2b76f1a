/** A session as it is kept: who the other side is, what was agreed, and what was asked and is not answered yet. */
import { z } from 'zod';
import type { Network } from '../../bch/network.js';
import { NETWORKS } from '../../bch/network.js';

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));

/** What a wallet has answered, not checked. */
const Answer = z.object({ result: z.unknown(), error: z.unknown() }).partial();
export type Answer = z.output<typeof Answer>;

/** What waits for an answer, or has one that nobody has taken yet. */
const OpenRequest = z.object({
  id: z.int(),
  /** Of what was asked: the same command asks the same. */
  digest: z.string(),
  /** Unix seconds: how long the wallet keeps it. */
  expiresAt: z.int(),
  /** True: it was taken back, so nobody waits for it. */
  isCancelled: z.boolean(),
  /** False: the relay may not have taken it. */
  isSent: z.boolean().default(true),
  /** Relays deliver it once, to whichever command listens then; null: there is none. */
  answer: Answer.nullable().default(null),
});
export type OpenRequest = z.output<typeof OpenRequest>;

export const SessionState = z.object({
  relayUrl: z.string(),
  projectId: z.string(),
  /** The identity of the mailbox. */
  seed: hex(32),
  topic: hex(32),
  symKey: hex(32),
  peerKey: hex(32),
  chain: z.string(),
  methods: z.array(z.string()),
  /** Cash addresses, the first being the one that signs. */
  accounts: z.array(z.string()),
  /** Unix seconds. */
  expiry: z.int(),
  /** What the wallet calls itself. */
  app: z.string(),
  /** The highest id that was given. */
  lastId: z.int(),
  /** Ids of the last messages that were sent. */
  sent: z.array(z.int()),
  lastUpdate: z.int(),
  lastEvent: z.int(),
  /** True: the wallet has said that its addresses changed, and was not asked since. */
  isMoved: z.boolean(),
  open: z.array(OpenRequest),
  /** Why the session is over; null: it is not. */
  ended: z.string().nullable(),
});
export type SessionState = z.output<typeof SessionState>;

/** Seconds that a session is prolonged to, each time. Source: WalletConnect v2, sessions. */
export const SESSION_SECONDS = 604_800;

/** The chain of a network, as wallets name it. Source: wc2-bch-bcr. */
export const chainOf = (network: Network): string => `bch:${NETWORKS[network].prefix}`;

const Namespaces = z.record(
  z.string(),
  z.object({ accounts: z.array(z.string()), methods: z.array(z.string()).default([]) }),
);

/** What a wallet grants: every chain it names, the addresses of ours, and the methods. Null for what cannot be read. */
export const readNamespaces = (
  value: unknown,
  chain: string,
): { readonly accounts: string[]; readonly methods: string[]; readonly chains: string[] } | null => {
  const read = Namespaces.safeParse(value);
  if (!read.success) return null;
  const granted = Object.entries(read.data).flatMap(([name, one]) =>
    name === 'bch' || name.startsWith('bch:') ? [one] : [],
  );
  const accounts = granted.flatMap((one) => one.accounts);
  const chainOfAccount = (account: string) => account.split(':').slice(0, 2).join(':');
  return {
    // `bch:bchtest:q...`: the address stands behind the name of the family.
    accounts: accounts.filter((one) => chainOfAccount(one) === chain).map((one) => one.slice('bch:'.length)),
    methods: [...new Set(granted.flatMap(({ methods }) => methods))],
    chains: [...new Set(accounts.map(chainOfAccount))],
  };
};

/** The state once a request was answered. The first answer counts. */
export const withAnswer = (state: SessionState, id: number, answer: Answer): SessionState => ({
  ...state,
  open: state.open.map((one) => (one.id === id && one.answer === null ? { ...one, answer } : one)),
});

const KEPT_IDS = 50;

/** The state once a message with that id was sent. */
export const withSent = (state: SessionState, id: number): SessionState => ({
  ...state,
  lastId: Math.max(state.lastId, id),
  sent: [...state.sent, id].slice(-KEPT_IDS),
});
