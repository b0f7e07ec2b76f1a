/** Where the page of a home is served, kept for its commands while it is. */
export type ServedPage = {
  /** Keeps the address of this process, such as `http://127.0.0.1:4280`. @throws what the file system answers */
  readonly keep: (url: string) => void;
  /** Forgets it. Nothing happens where another process has kept its own meanwhile. */
  readonly forget: () => void;
  /** The address of a daemon that serves the page now; null: there is none on this machine. */
  readonly url: () => string | null;
};
