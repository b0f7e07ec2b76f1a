/** `treasury events listen`: forwards each event to an address as a webhook would, and says what was answered. */
import { setTimeout as wait } from 'node:timers/promises';
import { EXIT, TreasuryError } from '../../errors.js';
import type { SendResult } from '../../operation/ports/messenger.js';
import { readSecret, writeSecret } from '../../operation/webhook-signature.js';
import type { EventEntry } from '../../record/event-reading.js';
import { bodyOf } from '../../record/webhooks/filter.js';
import type { Call } from '../call.js';
import { readSecretFile } from '../passphrase.js';
import { eventLine } from './event-line.js';
import { checkEndless, following, type FollowFlags, type FollowedPage, type Following } from './follow.js';

export type ListenFlags = FollowFlags & { readonly forwardTo?: string; readonly secretFile?: string };

/** Bytes of a secret that is made. */
const SECRET_BYTES = 32;
/** Seconds to wait after each try that failed; the last again and again. */
const PAUSES = [1, 2, 4, 8, 15, 30] as const;
/** What was answered and refused is tried so often. What nobody answers is tried until somebody does. */
const MOST_REFUSALS = 4;

type Forwarding = {
  readonly following: Following;
  readonly url: string;
  readonly secret: string;
};

/** The secret of a file, or a new one. @throws invalid_file, invalid_input */
const secretFor = async ({ secretFile }: ListenFlags, { session }: Following): Promise<string> => {
  if (secretFile === undefined) return writeSecret(session.context.random(SECRET_BYTES));
  const secret = (await readSecretFile(secretFile)).trim();
  readSecret(secret, 'secretFile');
  return secret;
};

const answerText = ({ status, reason, milliseconds }: SendResult): string =>
  status === null ? `no answer: ${reason ?? ''}` : `${status} in ${milliseconds} ms`;

/** Says of a try what was answered, and when the next one is. */
const say = async (
  { following: { session } }: Forwarding,
  event: EventEntry,
  {
    result,
    attempt,
    pause,
  }: { readonly result: SendResult; readonly attempt: number; readonly pause: number | null },
): Promise<void> => {
  const { output } = session.call;
  const { sequence, id, type } = event;
  if (output.mode !== 'text') {
    const { status, reason, milliseconds } = result;
    output.data(
      JSON.stringify({ sequence, id, type, attempt, status, reason, milliseconds, retryInSeconds: pause }),
    );
    return;
  }
  const isTaken = result.reason === null;
  const arrow = output.paint(isTaken ? 'green' : 'red', `-> ${answerText(result)}`);
  const again = isTaken ? '' : pause === null ? '; set aside' : `; again in ${pause} s`;
  output.data(`${await eventLine(event, session)}  ${arrow}${again}`);
};

/** Asked again after each wait: somebody may have ended it meanwhile. */
const isOver = ({ aborted }: AbortSignal): boolean => aborted;

/** @returns false when it was set aside, or somebody has ended it */
const forward = async (event: EventEntry, forwarding: Forwarding): Promise<boolean> => {
  const {
    following: { session, signal },
    url,
    secret,
  } = forwarding;
  const { messenger, clock } = session.context;
  let refusals = 0;
  for (let attempt = 1; !isOver(signal); attempt += 1) {
    const result = await messenger.sendSigned({
      url,
      allowPrivate: true,
      secrets: [secret],
      id: event.id,
      timestamp: clock.wall(),
      body: bodyOf(event),
      signal,
    });
    if (result.reason !== null && isOver(signal)) return false;
    if (result.status !== null && result.reason !== null) refusals += 1;
    const isDone = result.reason === null || refusals === MOST_REFUSALS;
    const pause = isDone ? null : (PAUSES[attempt - 1] ?? 30);
    await say(forwarding, event, { result, attempt, pause });
    if (isDone) return result.reason === null;
    await wait((pause ?? 0) * 1_000, undefined, { signal }).catch(() => undefined);
  }
  return false;
};

type Counts = { sent: number; readonly aside: number[]; cursor: number };

/** Forwards the events of a page as far as nobody ends it. */
const forwardPage = async (
  { events, cursor }: FollowedPage,
  forwarding: Forwarding,
  counts: Counts,
): Promise<void> => {
  const { signal } = forwarding.following;
  for (const event of events) {
    if (isOver(signal)) return;
    const isTaken = await forward(event, forwarding);
    if (!isTaken && isOver(signal)) return;
    if (isTaken) counts.sent += 1;
    else counts.aside.push(event.sequence);
    counts.cursor = event.sequence;
  }
  counts.cursor = cursor;
};

/** Says where the events go, and the secret that they are signed with: whoever receives them checks it. */
const announce = ({ following: { session, cursor }, url, secret }: Forwarding): void => {
  const { output } = session.call;
  if (output.mode === 'text') {
    output.data(`Forwarding to ${url} from cursor ${cursor} on. Ctrl-C ends it.`);
    output.data(`Secret: ${secret}`);
  } else output.data(JSON.stringify({ forwardTo: url, cursor, secret }));
};

/** What was forwarded, what was set aside, and where to go on. */
const sumUp = ({ following: { session } }: Forwarding, { sent, aside, cursor }: Counts): void => {
  const left = aside.length === 0 ? '' : `, ${aside.length} set aside (${aside.join(', ')})`;
  session.call.output.talk(`${sent} forwarded${left}. Go on with --since ${cursor}.`);
};

/**
 * Forwards events one after another until somebody ends it.
 *
 * @returns 0: being ended is how it ends
 * @throws missing_value, invalid_url, invalid_file, invalid_input, and what opening a home throws
 */
export const listenEvents = (call: Call, flags: ListenFlags): Promise<number> => {
  checkEndless(call);
  const { forwardTo } = flags;
  if (forwardTo === undefined) throw new TreasuryError('missing_value', { flag: '--forward-to' });
  return following(call, flags, async (own) => {
    const url = await own.session.context.messenger.checkUrl(forwardTo, { allowPrivate: true });
    const forwarding = { following: own, url, secret: await secretFor(flags, own) };
    announce(forwarding);
    const counts = { sent: 0, aside: [] as number[], cursor: own.cursor };
    for await (const page of own.pages) await forwardPage(page, forwarding, counts);
    sumUp(forwarding, counts);
    return EXIT.done;
  });
};
