/** The headers of the chain, checked: followed to the tip, looked up by height, and kept in the home. */
import type { Network } from '../../bch/network.js';
import type { Log } from '../../operation/context.js';
import type { CheckpointFacts } from '../../operation/ports/surroundings.js';
import { MEDIAN_TIME_SPAN, medianTime, type Block } from '../local-chain/blocks.js';
import { watchBackLinks } from './back-links.js';
import { begin, type BlockName } from './checkpoint.js';
import { disagreement } from './contradiction.js';
import type { FailOver } from './fail-over.js';
import { followTip } from './follow-tip.js';
import { createHeaderChain, SPAN, type HeaderChain } from './header-chain.js';
import type { Header, HeaderRules } from './header-rules.js';
import { createProofs, type HeadersFile, type HomeHeaders, type Proofs } from './home-headers.js';
import { readHeaders } from './replies.js';

type HeaderStateOptions = HeaderRules & {
  readonly network: Network;
  /** Named by the operator. */
  readonly named: BlockName | null;
  readonly file: HeadersFile;
};

const SAVE_MS = 30_000;

/** What a home knows, in memory and on its file. */
const createHeaderState = ({ file, ...rules }: HeaderStateOptions) => {
  const proofs = createProofs();
  let known: (Pick<HomeHeaders, 'checkpoint' | 'refused'> & { readonly chain: HeaderChain }) | null = null;
  let isChanged = false;
  let timer: NodeJS.Timeout | null = null;

  const take = ({ checkpoint, kept, refused }: Pick<HomeHeaders, 'checkpoint' | 'kept' | 'refused'>) => {
    known = { checkpoint, refused, chain: createHeaderChain(kept, { ...rules, checkpoint }) };
    return known;
  };
  const save = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!isChanged || known === null) return;
    isChanged = false;
    const { checkpoint, refused, chain } = known;
    file.write({ network: rules.network, checkpoint, refused, kept: chain.keep(), proofs: proofs.keep() });
  };
  const change = (): void => {
    isChanged = true;
    timer ??= setTimeout(save, SAVE_MS).unref();
  };
  return {
    proofs,
    known: () => known,
    take,
    save,
    change,
    /** What the home knows of itself; null when it begins anew. */
    load: () => {
      if (known !== null) return known;
      const home = file.read();
      const { named } = rules;
      const isNamed =
        named === null || (named.height === home?.checkpoint.height && named.hash === home.checkpoint.hash);
      if (home === null || !isNamed) return null;
      for (const proof of home.proofs) proofs.add(proof);
      return take(home);
    },
    refuse: (refused: string): void => {
      if (known !== null) known = { ...known, refused };
      change();
      save();
    },
  };
};
type HeaderState = ReturnType<typeof createHeaderState>;

export type Headers = {
  /** Follows the chain to the tip that a server shows; questions that come meanwhile share one. In one look: once. */
  readonly sync: () => Promise<HeaderChain>;
  /** Follows the chain to the tip that a server shows now, whatever was looked at before. */
  readonly renew: () => Promise<HeaderChain>;
  /** The checked header at a height, null above the tip. */
  readonly at: (height: number) => Promise<Header | null>;
  /** A block with its median time past, the tip without a height; null above the tip. */
  readonly block: (height?: number) => Promise<Block | null>;
  /** The tip, asking for nothing, where it was followed of late and the server in use has told of no other; or null. */
  readonly recent: () => Promise<Block | null>;
  /** The same, with the tip followed once for all that is asked. */
  readonly oneLook: () => Headers;
  readonly proofs: Proofs;
  readonly add: (proof: Parameters<Proofs['add']>[0]) => void;
  /** Null before the first look at the chain, in a home that has none. */
  readonly checkpoint: () => CheckpointFacts | null;
  readonly close: () => void;
};

export type HeadersOptions = HeaderStateOptions & {
  readonly log: Log;
};

/** A connection that has died without a word is noticed after that. */
const RECENT_MS = 60_000;

/** Spans of old headers that are kept in memory. */
const MOST_SPANS = 4;

/** Headers below those that are kept in full, span by span. */
const createSpans = ({ ask }: FailOver, { change }: Pick<HeaderState, 'change'>) => {
  const spans = new Map<number, readonly Header[]>();
  return async (chain: HeaderChain, bound: number): Promise<readonly Header[]> => {
    const cached = spans.get(bound);
    if (cached !== undefined) return cached;
    const floor = Math.floor((bound - 1) / SPAN) * SPAN;
    const from = Math.max(0, floor - 1);
    const span = await ask('blockchain.block.headers', [from, bound - from], (reply) =>
      chain.descend(bound, from, floor, readHeaders(reply)),
    );
    change();
    const [oldest] = spans.keys();
    if (spans.size >= MOST_SPANS && oldest !== undefined) spans.delete(oldest);
    spans.set(bound, span);
    return span;
  };
};

type SpanBelow = ReturnType<typeof createSpans>;

/** Opens the chain that the home knows, or begins one, and has its back links checked. */
const createOpener = (
  failOver: FailOver,
  state: HeaderState,
  spanBelow: SpanBelow,
  options: HeadersOptions,
) => {
  let backLinks: { readonly stop: () => void } | null = null;
  const load = async () => {
    const known = state.load();
    if (known !== null) return known;
    const beginning = await begin(options.named, options.network, failOver, options);
    state.change();
    return state.take({ ...beginning, refused: null });
  };
  return {
    /** @throws server_disagrees when the checkpoint cannot be one, and as `begin` */
    open: async (): Promise<HeaderChain> => {
      const { chain, checkpoint, refused } = await load();
      if (refused !== null) {
        const named = `the checkpoint ${checkpoint.height}:${checkpoint.hash}`;
        throw disagreement(`${named} is on no valid chain (${refused}): name another with --checkpoint`);
      }
      backLinks ??= watchBackLinks(chain, spanBelow, { ...options, refuse: state.refuse });
      return chain;
    },
    stop: () => backLinks?.stop(),
  };
};

/** A checked header at a height that is not above the tip. */
const findHeader = async (chain: HeaderChain, height: number, spanBelow: SpanBelow): Promise<Header> => {
  for (;;) {
    const kept = chain.at(height);
    if (kept !== null) return kept;
    const span = await spanBelow(chain, chain.boundAbove(height));
    const found = span.find((header) => header.height === height);
    if (found !== undefined) return found;
  }
};

const readBlockAt = async (chain: HeaderChain, height: number, spanBelow: SpanBelow): Promise<Block> => {
  const { hash, hex, time } = await findHeader(chain, height, spanBelow);
  const times: number[] = [];
  for (let before = Math.max(0, height - MEDIAN_TIME_SPAN + 1); before <= height; before += 1)
    times.push((await findHeader(chain, before, spanBelow)).time);
  return { height, hash, header: hex, time, medianTimePast: medianTime(times), txids: [] };
};

/** The tip where it was followed of late, and the server in use has told of no other; else null. */
const readRecent = async (
  chain: HeaderChain | undefined,
  followedAt: number | null,
  { failOver, spanBelow }: { readonly failOver: FailOver; readonly spanBelow: SpanBelow },
): Promise<Block | null> => {
  const isRecent = followedAt !== null && Math.abs(Date.now() - followedAt) < RECENT_MS;
  if (chain === undefined || !isRecent || chain.tip().hex !== failOver.toldTip()) return null;
  return readBlockAt(chain, chain.tip().height, spanBelow);
};

/** Done once; again only where it failed. */
const onceDone = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let done: Promise<T> | null = null;
  return () =>
    (done ??= work().catch((error: unknown) => {
      done = null;
      throw error;
    }));
};

/** The headers of a home. What its file holds is read at once; servers are asked at the first question. */
export const createHeaders = (failOver: FailOver, options: HeadersOptions): Headers => {
  const state = createHeaderState(options);
  const spanBelow = createSpans(failOver, state);
  const opener = createOpener(failOver, state, spanBelow, options);
  state.load();
  let syncing: Promise<HeaderChain> | null = null;
  let followedAt: number | null = null;

  const catchUp = async (): Promise<HeaderChain> => {
    const chain = await opener.open();
    const isWorkCounted = options.difficulty !== null;
    await followTip(chain, failOver, { isWorkCounted, onChange: state.change });
    followedAt = Date.now();
    return chain;
  };
  const renew = (): Promise<HeaderChain> => {
    syncing ??= catchUp().finally(() => {
      syncing = null;
    });
    return syncing;
  };
  const lookingWith = (sync: Headers['sync']): Headers => ({
    sync,
    renew,
    oneLook: () => lookingWith(onceDone(renew)),
    at: async (height) => {
      const known = state.known()?.chain;
      const chain = known === undefined || height > known.tip().height ? await renew() : known;
      return height > chain.tip().height ? null : findHeader(chain, height, spanBelow);
    },
    block: async (given) => {
      const chain = await sync();
      const height = given ?? chain.tip().height;
      return height > chain.tip().height ? null : readBlockAt(chain, height, spanBelow);
    },
    recent: () => readRecent(state.known()?.chain, followedAt, { failOver, spanBelow }),
    proofs: state.proofs,
    add: (proof) => {
      state.proofs.add(proof);
      state.change();
    },
    checkpoint: () => {
      const known = state.load();
      return known === null ? null : { ...known.checkpoint, checkedDownTo: known.chain.lowest() };
    },
    close: () => {
      opener.stop();
      state.save();
    },
  });
  return lookingWith(renew);
};
