/** Following the chain to the tip that a server shows. */
import { messageOf, TreasuryError } from '../../errors.js';
import { Contradiction } from './contradiction.js';
import { failureOf, type Answer, type FailOver, type Failure } from './fail-over.js';
import { SPAN, type HeaderChain } from './header-chain.js';
import { readHeaderAt, readHeaders, type HeaderAt, type ReadReply } from './replies.js';
import type { ServerSession } from './session.js';

/** Attempts to follow a tip that moves on. */
const TIP_ATTEMPTS = 3;
/** How far back a branch is looked for, in blocks; at last from the first block that may be replaced on. */
const BACK = [0, 10, 100, Infinity] as const;

export type FollowOptions = {
  /** False where a server may take back what it showed, since blocks cost nothing. */
  readonly isWorkCounted: boolean;
  /** Told that headers were taken in. */
  readonly onChange: () => void;
};

type Shown = HeaderAt & { /** It is the tip already, or has become it. */ readonly isTaken: boolean };

/** Reads a tip, and takes it in when it stands upon ours. @throws Contradiction, Error */
const readTip =
  (chain: HeaderChain, onChange: () => void): ReadReply<Shown> =>
  (reply) => {
    const shown = readHeaderAt(reply);
    const floor = chain.floor();
    if (shown.height < floor) throw new Error(`is behind block ${floor}, which this home knows`);
    if (shown.height === floor && chain.at(floor)?.hex !== shown.hex)
      throw new Contradiction(`shows another block ${floor} than the one this home knows`);
    if (shown.height === chain.tip().height + 1 && chain.standsUpon(shown.height, [shown.hex])) {
      chain.extend(shown.height, [shown.hex]);
      onChange();
    }
    return { ...shown, isTaken: shown.height === floor || chain.tip().hex === shown.hex };
  };

/** Takes in the headers up to what one server shows as its tip. @throws Contradiction, Error */
const extendTo = async (
  chain: HeaderChain,
  { height }: HeaderAt,
  { askOne, onChange }: Pick<FailOver, 'askOne'> & Pick<FollowOptions, 'onChange'>,
  session: ServerSession,
): Promise<void> => {
  /** How many were taken in; null when they do not stand upon ours. */
  const extendFrom = (from: number, isLast: boolean): Promise<number | null> =>
    askOne(session, 'blockchain.block.headers', [from, Math.min(SPAN, height - from + 1)], (reply) => {
      const shown = readHeaders(reply);
      if (shown.length === 0) throw new Error(`shows a tip at ${height}, and no block ${from}`);
      if (!isLast && !chain.standsUpon(from, shown)) return null;
      chain.extend(from, shown);
      onChange();
      return shown.length;
    });
  const next = Math.min(chain.tip().height + 1, height);
  for (const back of BACK) {
    const first = Math.max(chain.floor() + 1, next - back);
    const isLast = first === chain.floor() + 1;
    let from = first;
    let taken = await extendFrom(from, isLast);
    while (taken !== null && from + taken <= height) {
      from += taken;
      taken = await extendFrom(from, isLast);
    }
    if (taken !== null) return;
  }
};

/**
 * Follows the chain to the tip of a server, of the next one when what it shows cannot be taken in.
 *
 * @throws chain_unavailable, server_disagrees
 */
export const followTip = async (
  chain: HeaderChain,
  failOver: FailOver,
  { isWorkCounted, onChange }: FollowOptions,
): Promise<void> => {
  const { askFor, askOne, blame, count } = failOver;
  const failures: Failure[] = [];
  for (let attempt = 0; attempt < TIP_ATTEMPTS + count - 1; attempt += 1) {
    const { value: shown, session }: Answer<Shown> = await askFor(
      'blockchain.headers.get_tip',
      [],
      readTip(chain, onChange),
    );
    // A server that is behind shows a tip that is known.
    const isBehind = isWorkCounted && chain.at(shown.height)?.hex === shown.hex;
    if (shown.isTaken || isBehind) return;
    try {
      await extendTo(chain, shown, { askOne, onChange }, session);
    } catch (error) {
      failures.push({
        text: `${session.server.text} ${messageOf(error)}`,
        isFalse: error instanceof Contradiction,
      });
      if (count === 1) break;
      blame(session, messageOf(error));
    }
    if (chain.tip().hex === shown.hex) return;
  }
  if (failures.length > 0) throw failureOf(failures);
  throw new TreasuryError('chain_unavailable', { reason: 'the tip does not stand still' });
};
