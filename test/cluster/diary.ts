/** What the clients of a play have asked for and been answered: all that the checker knows beside the chain. */
export type Kind = 'stream' | 'campaign' | 'payment';

/** A creation that was answered. */
export type Made = {
  readonly kind: Kind;
  /** What its maker calls it: no other creation is called so. */
  readonly key: string;
  readonly id: string;
  readonly label: string;
  readonly address: string;
};

/** A transaction that a client has signed and sent. */
export type Sent = {
  readonly key: string;
  readonly verb: string;
  readonly txid: string;
  isConfirmed: boolean;
};

export type Diary = {
  /** Keys of creations that were begun, whether or not they were answered. */
  readonly begun: Map<string, Kind>;
  readonly made: Made[];
  readonly sent: Sent[];
  /** How often something was done, by what it is. */
  readonly counts: Map<string, number>;
  readonly findings: string[];
  readonly count: (what: string, by?: number) => void;
  readonly find: (what: string) => void;
};

export const openDiary = (): Diary => {
  const counts = new Map<string, number>();
  const findings: string[] = [];
  return {
    begun: new Map(),
    made: [],
    sent: [],
    counts,
    findings,
    count: (what, by = 1) => void counts.set(what, (counts.get(what) ?? 0) + by),
    find: (what) => void findings.push(what),
  };
};
