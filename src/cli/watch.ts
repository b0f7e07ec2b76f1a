/** `--watch`: the same answer again and again, drawn in place, until somebody ends it. */
import { NETWORKS } from '../bch/network.js';
import { EXIT, invalidField, isTreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { Reply } from '../operation/execute.js';
import type { Call } from './call.js';
import type { Output } from './output.js';
import type { Session } from './session.js';

/** The other screen of a terminal, without a cursor and with lines that end at its edge; its beginning, and the rest of a line or of the screen. Source: ECMA-48, xterm. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

/** How often it is looked whether something has changed, milliseconds. */
const LOOK_MS = 1_000;

const isPlain = ({ environment: { env } }: Call): boolean => env['TERM'] === 'dumb';

/** Checks that there is somewhere to draw. @throws invalid_input */
export const checkWatch = ({ output, globals, environment: { stdout } }: Call): void => {
  if (globals.jq !== undefined) throw invalidField('watch', 'draws for people, and gives jq no document');
  if (output.mode === 'json')
    throw invalidField('watch', 'never ends its one document: with --jsonl each look is a line');
  if (output.mode === 'text' && stdout.isTTY !== true)
    throw invalidField('watch', 'needs a terminal: with --jsonl each look is a line');
};

type Watched = {
  readonly ask: () => Promise<Reply>;
  readonly show: (reply: Reply, to: Pick<Session, 'call' | 'context'>) => Promise<void>;
  /** It is looked at again after these at the latest. */
  readonly seconds: number;
};

/** What is written, in place of a stream: data first, then what is said about it. */
const collected = (output: Output) => {
  const data: string[] = [];
  const talk: string[] = [];
  const say = (text: string): void => void talk.push(text);
  const kept: Output = { ...output, data: (text) => void data.push(text), talk: say, warn: say };
  return { kept, lines: () => [...data, ...(talk.length === 0 ? [] : ['']), ...talk].join('\n').split('\n') };
};

/** What stands for the state of a home and its chain: another one is worth another look. */
const stateOf = async ({ store, chain, network }: Context): Promise<string> => {
  await store.refresh();
  const { eventCollection } = await import('../record/events.js');
  const { total } = await store.find(eventCollection, { limit: 0 });
  // Servers tell by themselves of a new block.
  const isNear = NETWORKS[network].servedBy === 'embedded';
  return isNear ? `${total} ${(await chain.tip()).hash}` : String(total);
};

/** A wait that can be ended from elsewhere: by a change, or for good. */
const createBell = () => {
  let ring: () => void = () => undefined;
  let isRung = false;
  return {
    ring: () => {
      isRung = true;
      ring();
    },
    /** Resolves after a ring since the last wait, or some milliseconds. */
    wait: async (milliseconds: number): Promise<boolean> => {
      if (!isRung) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          ring = resolve;
          timer = setTimeout(resolve, milliseconds);
        });
        clearTimeout(timer);
      }
      const wasRung = isRung;
      isRung = false;
      return wasRung;
    },
  };
};

/** Resolves when the bell rings, the state is another, or the time is over. */
const untilChanged = async (
  context: Context,
  state: string,
  { bell, milliseconds }: { readonly bell: ReturnType<typeof createBell>; readonly milliseconds: number },
): Promise<void> => {
  const until = Date.now() + milliseconds;
  for (let left = milliseconds; left > 0; left = until - Date.now()) {
    if (await bell.wait(Math.min(LOOK_MS, left))) return;
    if ((await stateOf(context).catch(() => state)) !== state) return;
  }
};

/** The lines that there is room for, and how many there is none for. */
const within = (lines: readonly string[], rows: number | null): readonly string[] => {
  if (rows === null || lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), `... ${lines.length - rows + 1} more lines`];
};

/** Draws what one look has found. @returns its lines, to be left behind at the end */
const draw = (call: Call, lines: readonly string[], seconds: number): void => {
  const { stdout } = call.environment;
  const rows = stdout.rows === undefined || stdout.rows === 0 ? null : stdout.rows;
  if (isPlain(call)) {
    stdout.write(`${lines.join('\n')}\n\n`);
    return;
  }
  const foot = call.output.paint('dim', `Every ${seconds} s, and when something changes. Ctrl-C ends it.`);
  const shown = [...within(lines, rows === null ? null : rows - 2), '', foot];
  stdout.write(`${HOME}${shown.map((line) => line + REST_OF_LINE).join('\n')}${REST_OF_SCREEN}`);
};

/** The same voices for the screen as it is now: somebody may have made it wider. */
const resized = (call: Call): Call => {
  const { output, environment } = call;
  const columns = environment.stdout.columns;
  const fit = (paint: Output['paint']): Output['paint'] =>
    columns === undefined || paint.screen === undefined
      ? paint
      : Object.assign<Output['paint'], Pick<Output['paint'], 'screen'>>((style, text) => paint(style, text), {
          screen: { ...paint.screen, columns },
        });
  return { ...call, output: { ...output, paint: fit(output.paint), paintTalk: fit(output.paintTalk) } };
};

/** One look: what it found, or what went wrong, which may be over by the next. */
const look = async ({ call, context }: Session, { ask, show }: Watched): Promise<readonly string[]> => {
  const now = resized(call);
  const { kept, lines } = collected(now.output);
  try {
    await show(await ask(), { call: { ...now, output: kept }, context });
  } catch (error) {
    if (!isTreasuryError(error) || !error.retryable) throw error;
    kept.warn(`${now.output.paintTalk('red', 'Error:')} ${error.message}`);
  }
  return lines();
};

/**
 * Looks until somebody ends it: when a block or an event has come, and every so many seconds.
 *
 * @returns 0: being ended is how a watch ends
 * @throws what asking throws, but what may be over soon
 */
export const watchReplies = async (session: Session, watched: Watched): Promise<number> => {
  const { call, context } = session;
  const { stdout } = call.environment;
  const isDrawn = call.output.mode === 'text' && !isPlain(call);
  const bell = createBell();
  const ended = new AbortController();
  const stopListening = call.environment.onInterrupt?.(() => {
    ended.abort();
    bell.ring();
  });
  let last: readonly string[] = [];
  if (isDrawn) stdout.write(ENTER);
  const stopWatching = await context.chain.watch({ headers: true }, bell.ring).catch(() => () => undefined);
  try {
    while (!ended.signal.aborted) {
      const state = await stateOf(context).catch(() => '');
      const lines = await look(session, watched);
      const isSame = lines.join('\n') === last.join('\n');
      last = lines;
      if (call.output.mode === 'text') draw(call, lines, watched.seconds);
      else if (!isSame) for (const line of lines.filter((one) => one !== '')) call.output.data(line);
      await untilChanged(context, state, { bell, milliseconds: watched.seconds * 1_000 });
    }
    return EXIT.done;
  } finally {
    stopWatching();
    stopListening?.();
    if (isDrawn) stdout.write(`${LEAVE}${last.join('\n')}\n`);
  }
};
