/**
 * The links from the first headers of a home back to the block that the difficulty rule counts from, checked in the
 * background: whoever made up a checkpoint would have had to make up the work of years.
 */
import type { Log } from '../../operation/context.js';
import { Contradiction } from './contradiction.js';
import type { HeaderChain } from './header-chain.js';
import { checkHeaders, type Header, type HeaderRules } from './header-rules.js';

export type BackLinkOptions = HeaderRules & {
  readonly log: Log;
  /** Told why the checkpoint cannot be one. */
  readonly refuse: (reason: string) => void;
};

/** The first step waits, so that a short command asks for nothing more than it needs. */
const FIRST_MS = 5_000;
const NEXT_MS = 500;
/** After a step that failed. */
const AGAIN_MS = 60_000;

/** One span that is linked. */
export type SpanBelow = (chain: HeaderChain, bound: number) => Promise<readonly Header[]>;

/** Why headers that ours stand upon cannot be; null when they can. */
export const falseBehind = (headers: readonly Header[], rules: HeaderRules): string | null => {
  const anchor = rules.difficulty?.anchor;
  const wanted = rules.difficulty?.anchorHash ?? null;
  const shown = headers.find(({ height }) => height === anchor?.height)?.hash;
  if (shown !== undefined && wanted !== null && shown !== wanted)
    return `it leads back to ${shown} at block ${anchor?.height ?? 0}, which is ${wanted}`;
  try {
    checkHeaders(null, headers, rules);
    return null;
  } catch (error) {
    if (error instanceof Contradiction) return error.message;
    throw error;
  }
};

/** Checks link after link, until the anchor is reached or it is stopped. Keeps no process alive. */
export const watchBackLinks = (
  chain: HeaderChain,
  spanBelow: SpanBelow,
  options: BackLinkOptions,
): { readonly stop: () => void } => {
  const anchor = options.difficulty?.anchor.height ?? Infinity;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  const plan = (milliseconds: number): void => {
    if (isStopped || chain.lowest() <= anchor) return;
    timer = setTimeout(() => void step(), milliseconds).unref();
  };
  const step = async (): Promise<void> => {
    try {
      const reason = falseBehind(await spanBelow(chain, chain.lowest()), options);
      if (reason === null) {
        plan(NEXT_MS);
        return;
      }
      options.log.error({ reason }, 'the checkpoint of this home is on no valid chain');
      options.refuse(reason);
    } catch {
      // A server that fails has been named where it was asked.
      plan(AGAIN_MS);
    }
  };
  plan(FIRST_MS);
  return {
    stop: () => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
};
