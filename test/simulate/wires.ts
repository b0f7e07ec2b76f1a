/** The wires between the processes of a world and its database. */
import net from 'node:net';
import type { Random } from './random.js';
import type { ServerEnd, StandingClock } from './standing-clock.js';
import type { Owner, Timeline } from './timeline.js';
import { readFrames, type Frame } from './wire-frames.js';

/** What a process hears on its wire. */
export type Hearing = {
  readonly opened: () => void;
  readonly refused: () => void;
  readonly heard: (bytes: Buffer) => void;
  /** Cut: without a word. */
  readonly ended: (isCut: boolean) => void;
};

export type Wire = {
  readonly say: (bytes: Buffer) => void;
  /** What was said goes on its way, then nothing more. */
  readonly end: () => void;
};

/** Cuts the wire on which a commit is said. */
export type Cut = {
  /** At which commit from now on. */
  left: number;
  /** Of those that tell the event log something: what people and scripts did, and no lease. */
  readonly isTold: boolean;
  /** The commit arrives, and its answer does not. */
  readonly isAfter: boolean;
};

/** What all wires of a world share. */
export type WireRoom = StandingClock & {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly address: { readonly host: string; readonly port: number };
  readonly count: (what: string) => void;
  readonly tell: (line: string) => void;
  /** Nobody is let in. */
  isDown: boolean;
  /** Null: none is cut. */
  cut: Cut | null;
};

/** Before the world gives out its own (`sim-socket.ts`). */
const RealSocket = net.Socket;

/** What is said takes so long, milliseconds. */
const MOST_DELAY_MS = 2;

/** A frame that is answered by one that ends an answer. */
const isQuestion = ({ kind }: Frame): boolean => kind === '' || kind === 'Q' || kind === 'S';
const isCommit = ({ kind, bytes }: Frame): boolean =>
  (kind === 'Q' || kind === 'P') && /commit\0/i.test(bytes.toString('latin1'));

/** True where something is added to the event log. */
const tells = (frames: readonly Frame[]): boolean =>
  frames.some(({ bytes }) => bytes.includes('insert into') && bytes.includes('"events_log"'));

/** Takes note of what the server says. */
const noteAnswer = ({ kind, bytes }: Frame, end: ServerEnd, { count }: WireRoom): void => {
  if (kind === 'K') end.pid = bytes.readInt32BE(5);
  if (kind === 'Z') end.asked -= 1;
  if (kind === 'E' && bytes.includes('C40001')) count('fault: a change met another');
};

/** The real way to the server. `hear` is told what it says, and null at the end. */
const openWay = (number: number, hear: (bytes: Buffer | null) => void, room: WireRoom) => {
  const socket = new RealSocket();
  const readAnswers = readFrames(false);
  let arrived: Buffer[] = [];
  const end: ServerEnd = {
    number,
    pid: 0,
    asked: 0,
    isEnding: false,
    hasEnded: false,
    handOn: () => {
      if (arrived.length > 0) hear(Buffer.concat(arrived));
      arrived = [];
      if (end.hasEnded && room.ends.delete(end)) hear(null);
    },
  };
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => {
    for (const frame of readAnswers(bytes)) noteAnswer(frame, end, room);
    arrived.push(bytes);
    room.changed();
  });
  socket.on('close', () => {
    end.hasEnded = true;
    room.changed();
  });
  return {
    open: () =>
      new Promise<void>((resolve) => {
        room.ends.add(end);
        socket.once('close', resolve);
        socket.connect({ ...room.address, noDelay: true }, resolve);
      }),
    deliver: (frames: readonly Frame[]): void => {
      if (frames.length === 0 || end.hasEnded || end.isEnding) return;
      end.asked += frames.filter(isQuestion).length;
      socket.write(Buffer.concat(frames.map(({ bytes }) => bytes)));
    },
    hangUp: (): void => {
      end.isEnding = true;
      socket.end();
    },
    hasEnded: () => end.hasEnded,
  };
};

/** Opens a wire of a process. @param number - of the wire, in this world */
export const openWire = (number: number, owner: Owner, hearing: Hearing, room: WireRoom): Wire => {
  const { timeline, random, really, count, tell } = room;
  const readSaid = readFrames(true);
  const outgoing: Frame[] = [];
  const inbox: (() => void)[] = [];
  let state: 'waits' | 'open' | 'silent' | 'cut' = 'waits';
  let isPlanned = false;
  /** The change that is under way adds to the event log. */
  let isTelling = false;
  const delay = (): number => random.next() * MOST_DELAY_MS;
  /** In the process, in the order in which it comes. */
  const later = (work: () => void): void => {
    inbox.push(work);
    timeline.after(delay(), () => inbox.shift()?.(), owner);
  };
  const hear = (bytes: Buffer | null): void => {
    if (bytes === null) owner.onEnd.delete(end);
    later(() => {
      if (state === 'cut') return;
      if (bytes === null) hearing.ended(false);
      else hearing.heard(bytes);
    });
  };
  const way = openWay(number, hear, room);
  const cutAt = (frames: readonly Frame[], isAfter: boolean): void => {
    const where = isAfter ? 'after' : 'before';
    count(`fault: cut ${where} a commit`);
    tell(`a wire to the database is cut ${where} a commit`);
    state = 'cut';
    really(() => {
      way.deliver(frames.slice(0, frames.findIndex(isCommit) + (isAfter ? 1 : 0)));
      way.hangUp();
    });
    later(() => {
      hearing.ended(true);
    });
  };
  const flush = (): void => {
    isPlanned = false;
    const frames = outgoing.splice(0);
    if (state !== 'open') return;
    const { cut } = room;
    isTelling ||= tells(frames);
    const isCommitting = frames.some(isCommit);
    const isMeant = isCommitting && (isTelling || cut?.isTold === false);
    if (isCommitting) isTelling = false;
    if (cut !== null && isMeant) {
      cut.left -= 1;
      if (cut.left <= 0) {
        room.cut = null;
        cutAt(frames, cut.isAfter);
        return;
      }
    }
    really(() => {
      way.deliver(frames);
    });
  };
  const end = (): void => {
    if (state === 'silent' || state === 'cut') return;
    const wasOpen = state === 'open';
    state = 'silent';
    if (!wasOpen) return;
    const frames = outgoing.splice(0);
    really(() => {
      way.deliver(frames);
      way.hangUp();
    });
  };
  const arrive = (): void => {
    if (state !== 'waits') return;
    if (room.isDown) {
      state = 'cut';
      later(hearing.refused);
      return;
    }
    state = 'open';
    really(async () => {
      await way.open();
      if (!way.hasEnded()) later(hearing.opened);
    });
  };
  owner.onEnd.add(end);
  timeline.after(delay(), arrive, null);
  return {
    end,
    say: (bytes) => {
      if (state !== 'open') return;
      outgoing.push(...readSaid(bytes));
      if (isPlanned) return;
      isPlanned = true;
      timeline.after(delay(), flush, null);
    },
  };
};
