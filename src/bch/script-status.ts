/** The status of a script: what tells its history in one hash. */
import { sha256, utf8ToBin } from '@bitauth/libauth';
import { hexOf } from './hex.js';

/** A transaction of a history; its height is 0 in the mempool, or -1 where it spends what is in the mempool too. */
export type StatusLine = { readonly txid: string; readonly height: number };

/**
 * The status of a script with a history, oldest first; null when it has none.
 * Source: Electrum Cash protocol, status.
 *
 * @example
 * scriptStatus([]); // null
 * scriptStatus([{ txid: 'aa'.repeat(32), height: 7 }])?.length; // 64
 */
export const scriptStatus = (history: readonly StatusLine[]): string | null =>
  history.length === 0
    ? null
    : hexOf(sha256.hash(utf8ToBin(history.map(({ txid, height }) => `${txid}:${height}:`).join(''))));
