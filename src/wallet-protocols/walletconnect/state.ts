/** A session as it is kept: who the other side is, what was agreed, and what was asked and is not answered yet. */
import { NETWORKS, type Network } from '../../bch/network.js';
import {
  asRecord,
  fields,
  flag,
  hex,
  list,
  orElse,
  orNull,
  readOr,
  record,
  text,
  whole,
  type Read,
  type Reader,
} from '../shape.js';

/** What a wallet has answered, not checked. */
export type Answer = { readonly result?: unknown; readonly error?: unknown };

const Answer: Reader<Answer> = (value) => {
  const { result, error } = asRecord(value);
  return error === undefined ? { result } : { result, error };
};

/** What waits for an answer, or has one that nobody has taken yet. */
const OpenRequest = fields({
  id: whole,
  /** Of what was asked: the same command asks the same. */
  digest: text,
  /** Unix seconds: how long the wallet keeps it. */
  expiresAt: whole,
  /** True: it was taken back, so nobody waits for it. */
  isCancelled: flag,
  /** False: the relay may not have taken it. */
  isSent: orElse(flag, true),
  /** Relays deliver it once, to whichever command listens then; null: there is none. */
  answer: orElse(orNull(Answer), null),
});
export type OpenRequest = Read<typeof OpenRequest>;

export const SessionState = fields({
  relayUrl: text,
  projectId: text,
  /** The identity of the mailbox. */
  seed: hex(32),
  topic: hex(32),
  symKey: hex(32),
  peerKey: hex(32),
  chain: text,
  methods: list(text),
  /** Cash addresses, the first being the one that signs. */
  accounts: list(text),
  /** Unix seconds. */
  expiry: whole,
  /** What the wallet calls itself. */
  app: text,
  /** The highest id that was given. */
  lastId: whole,
  /** Ids of the last messages that were sent. */
  sent: list(whole),
  lastUpdate: whole,
  lastEvent: whole,
  /** True: the wallet has said that its addresses changed, and was not asked since. */
  isMoved: flag,
  open: list(OpenRequest),
  /** Why the session is over; null: it is not. */
  ended: orNull(text),
});
export type SessionState = Read<typeof SessionState>;

/** Seconds that a session is prolonged to, each time. Source: WalletConnect v2, sessions. */
export const SESSION_SECONDS = 604_800;

/** The chain of a network, as wallets name it. Source: wc2-bch-bcr. */
export const chainOf = (network: Network): string => `bch:${NETWORKS[network].prefix}`;

/** The prefix of the addresses of a session's chain. */
export const prefixOf = ({ chain }: Pick<SessionState, 'chain'>): string => chain.slice('bch:'.length);

const Namespaces = record(fields({ accounts: list(text), methods: orElse(list(text), []) }));

/** What a wallet grants: every chain it names, the addresses of ours, and the methods. Null for what cannot be read. */
export const readNamespaces = (
  value: unknown,
  chain: string,
): { readonly accounts: string[]; readonly methods: string[]; readonly chains: string[] } | null => {
  const read = readOr(Namespaces, value);
  if (read === null) return null;
  const granted = Object.entries(read).flatMap(([name, one]) =>
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
