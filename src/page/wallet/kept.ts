/** What is kept of a wallet for as long as the tab is open: the session, and what was asked last. No token. */
import {
  anything,
  exactly,
  fields,
  orNull,
  otherwise,
  readOr,
  text,
  whole,
  type Read,
  type Reader,
} from '../../wallet-protocols/shape.js';
import type { PageWalletSettings, WalletTransaction } from './port.js';

const Pending = fields({
  /** The wcTransaction, as it was handed out. */
  transaction: anything as Reader<WalletTransaction>,
  purpose: anything,
  askedAt: whole,
  /** What the wallet has answered; null: nothing yet. */
  answer: orNull(text),
});

const Kept = fields({
  version: exactly(1),
  protocol: otherwise<'walletconnect' | 'wizardconnect'>(exactly('wizardconnect'), 'walletconnect'),
  network: text,
  address: fields({ text, lockingBytecode: text }),
  publicKey: orNull(text),
  face: fields({ app: text, endsAt: orNull(whole) }),
  /** The protocol's own. */
  state: anything,
  pending: orNull(Pending),
});
export type Kept = Read<typeof Kept>;

const NAME = 'treasury.wallet';

export const createKeeper = ({ storage, facts }: Pick<PageWalletSettings, 'storage' | 'facts'>) => {
  let kept: Kept | null = null;
  const write = (next: Kept | null): void => {
    kept = next;
    try {
      if (next === null) storage.removeItem(NAME);
      else storage.setItem(NAME, JSON.stringify(next));
    } catch {
      // A browser that keeps nothing: the session lasts until the page is left.
    }
  };
  return {
    kept: () => kept,
    write,
    change: (part: Partial<Kept>): void => {
      if (kept !== null) write({ ...kept, ...part });
    },
    /** What this tab has kept; null: nothing, or of another network. */
    read: (): Kept | null => {
      if (kept !== null) return kept;
      try {
        const read = readOr(Kept, JSON.parse(storage.getItem(NAME) ?? 'null'));
        if (read !== null && read.network === facts.network) kept = read;
      } catch {
        return null;
      }
      return kept;
    },
  };
};

export type Keeper = ReturnType<typeof createKeeper>;
