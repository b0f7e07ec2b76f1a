/** The covenants that a home knows, as whoever pays somebody sees them. */
import type { Address } from '../../bch/address.js';

/** A covenant of this home, found by an address. */
export type KnownCovenant = {
  /** Of its record. */
  readonly label: string;
  readonly part: 'contract' | 'reserve';
  /** True when its parties can spend whatever is sent there. */
  readonly takesPayments: boolean;
};

/** The covenants that this home knows. */
export type KnownCovenants = {
  /** The one at an address, in whatever form that is written; null for anybody else's. */
  readonly at: (address: Address) => Promise<KnownCovenant | null>;
};
