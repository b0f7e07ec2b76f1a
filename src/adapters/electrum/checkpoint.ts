/** Where a home's headers begin: a block that the operator names, or that two servers agree on. */
import type { Network } from '../../bch/network.js';
import { TreasuryError } from '../../errors.js';
import { Contradiction, disagreement } from './contradiction.js';
import type { FailOver } from './fail-over.js';
import type { KeptHeaders } from './header-chain.js';
import { checkHeaders, readHeadersAt, type Header, type HeaderRules } from './header-rules.js';
import { readHeaders } from './replies.js';
import type { ServerSession } from './session.js';

/** A block. */
export type BlockName = {
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
};

/** The block that a home trusts, and who named it. */
export type Checkpoint = BlockName & {
  readonly by: 'operator' | 'servers' | 'first block';
  /** The servers that agreed on it. */
  readonly servers: readonly string[];
};

export type Beginning = { readonly checkpoint: Checkpoint; readonly kept: KeptHeaders };

/** How far below the tip two servers are asked to agree: deeper than nodes ever reorganise. */
const DEPTH = 10;
/** Headers before a checkpoint that its own median time past takes. */
const BEFORE = 11;

const spanTo = (height: number): readonly [start: number, count: number] => {
  const start = Math.max(0, height - BEFORE);
  return [start, height - start + 1];
};

/** Headers up to a height. @throws Error when the server has them not, Contradiction when they cannot be */
const readUpTo =
  (height: number, rules: HeaderRules) =>
  (reply: Parameters<typeof readHeaders>[0]): readonly Header[] => {
    const [start, count] = spanTo(height);
    const read = readHeadersAt(start, readHeaders(reply));
    if (read.length !== count) throw new Error(`has no block ${height} yet`);
    checkHeaders(null, read, rules);
    return read;
  };

const beginningOf = (headers: readonly Header[], who: Pick<Checkpoint, 'by' | 'servers'>): Beginning => {
  const last = headers.at(-1);
  if (last === undefined) throw new Error('a checkpoint needs a header');
  const { height, hash } = last;
  return {
    checkpoint: { height, hash, ...who },
    kept: { start: headers[0]?.height ?? height, headers: headers.map(({ hex }) => hex), ends: {} },
  };
};

const beginAtNamed = async (
  { height, hash }: BlockName,
  { ask }: FailOver,
  rules: HeaderRules,
): Promise<Beginning> => {
  const least = rules.difficulty?.anchor.height ?? 0;
  if (height < least) {
    throw new TreasuryError('invalid_setting', {
      setting: '--checkpoint',
      value: `${height}:${hash}`,
      expected: `a block from ${least} on, where today's rule of difficulty begins`,
    });
  }
  const headers = await ask('blockchain.block.headers', spanTo(height), (reply) => {
    const read = readUpTo(height, rules)(reply);
    const shown = read.at(-1)?.hash;
    if (shown !== hash)
      throw new Contradiction(`shows ${shown} as block ${height}, not the checkpoint ${hash}`);
    return read;
  });
  return beginningOf(headers, { by: 'operator', servers: [] });
};

const beginAtFirst = async ({ ask }: FailOver, rules: HeaderRules): Promise<Beginning> => {
  const headers = await ask('blockchain.block.headers', spanTo(0), readUpTo(0, rules));
  return beginningOf(headers, { by: 'first block', servers: [] });
};

const nameOne = (network: Network): TreasuryError =>
  new TreasuryError('invalid_setting', {
    setting: '--checkpoint',
    value: '',
    expected:
      `HEIGHT:HASH of a recent block of ${network} that you have from somebody you trust, since a single server ` +
      'could show a chain of its own; or name a second server in TREASURY_ELECTRUM',
  });

const beginAtAgreed = async (
  failOver: FailOver,
  network: Network,
  rules: HeaderRules,
): Promise<Beginning> => {
  if (failOver.count < 2) throw nameOne(network);
  const first = await failOver.session();
  const second = await failOver.second();
  if (second === null) {
    const reason =
      `only ${first.server.text} answers, and on first use two servers must agree on a recent block: try again, or ` +
      'name one with --checkpoint HEIGHT:HASH';
    throw new TreasuryError('chain_unavailable', { reason });
  }
  const height = Math.min(first.tip().height, second.tip().height) - DEPTH;
  const askOne = (session: ServerSession) =>
    failOver.askOne(session, 'blockchain.block.headers', spanTo(height), readUpTo(height, rules));
  const [one, other] = await Promise.all([askOne(first), askOne(second)]);
  const [a, b] = [one.at(-1)?.hash, other.at(-1)?.hash];
  const servers = [first.server.text, second.server.text];
  if (a !== b)
    throw disagreement(`${servers[0]} shows ${a} as block ${height}, and ${servers[1]} shows ${b}`);
  return beginningOf(one, { by: 'servers', servers });
};

/**
 * The first headers of a home.
 *
 * @param named by the operator; null: two servers must agree, except where blocks cost nothing
 * @throws invalid_setting when there is a single server and nothing is named, server_disagrees, chain_unavailable
 */
export const begin = (
  named: BlockName | null,
  network: Network,
  failOver: FailOver,
  rules: HeaderRules,
): Promise<Beginning> => {
  if (named !== null) return beginAtNamed(named, failOver, rules);
  // Where blocks cost nothing, two that agree say no more than one.
  return rules.difficulty === null ? beginAtFirst(failOver, rules) : beginAtAgreed(failOver, network, rules);
};
