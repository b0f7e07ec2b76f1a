/** A line to a relay: what Node and browsers have in common of WebSockets, and how it is opened. */

/** An open line. */
export type Socket = {
  readonly send: (text: string) => void;
  readonly isOpen: () => boolean;
  /** Says goodbye; a relay that does not answer is not waited for. */
  readonly close: () => void;
  /** Resolves when it is closed, by whomever: the code and the words of the other side. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
};

export type Line = {
  readonly url: string;
  /** Longest message that is read, bytes. */
  readonly longest: number;
  /** How long the opening may take, milliseconds. */
  readonly limitMs: number;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
  readonly onMessage: (text: string, socket: Socket) => void;
};

/** Opens a line, which lets go of a relay that is dead where it can tell. @throws {@link SocketFailure} */
export type OpenSocket = (line: Line) => Promise<Socket>;

/** Why a line could not be opened. */
export class SocketFailure extends Error {
  /** The status of an answer that was no WebSocket; null: there was none, or it is not told. */
  readonly status: number | null;

  constructor(reason: string, status: number | null = null) {
    super(reason);
    this.status = status;
  }
}
