/**
 * What a node says of a transaction that it does not take, and what that comes to. Pure.
 *
 * Source: reject reasons of Bitcoin Cash Node (validation, policy and `sendrawtransaction`), as Fulcrum hands them on.
 */

/** What a node's words come to. */
export type RefusalKind =
  | 'known'
  | 'trouble'
  | 'conflict'
  | 'missing'
  | 'notFinal'
  | 'token'
  | 'dust'
  | 'fee'
  | 'script'
  | 'size'
  | 'malformed'
  | 'other';

// In this order: `bad-txns-token-in-belowout` is a matter of tokens, not of fees.
const WORDS: readonly (readonly [kind: RefusalKind, pattern: RegExp])[] = [
  ['trouble', /work queue|loading block|warm(?:ing)? ?up|timed? ?out|connection|not synced|mempool full/i],
  ['known', /already[ -](?:in|known)|txn-already/i],
  ['conflict', /mempool-conflict|double.?spend/i],
  ['missing', /missing ?inputs|missingorspent|inputs-spent/i],
  ['notFinal', /non-?final|non-BIP68-final|premature-spend/i],
  ['token', /token/i],
  ['dust', /\bdust\b/i],
  ['fee', /fee not met|insufficient (?:fee|priority)|in-belowout|fee too low/i],
  ['script', /script-verify-flag|script-failure|sigchecks/i],
  ['size', /\btx-size(?!-small)\b|txns-oversize/i],
  ['malformed', /decode failed|bad-txns-/i],
];

const RULES = 'the transaction was rejected by network rules';

/** The node's own words of a server's answer, without the number behind them. */
export const nodeWords = (refusal: string): string =>
  refusal
    .replace(/^[^]*rejected by network rules\.?/i, '')
    .replace(/\n\[[0-9a-f]*\]\s*$/i, '')
    .replace(/\s*\(code -?\d+\)\s*$/, '')
    .trim();

/** Null when it is the server that is in trouble, and the transaction was not judged. */
export const refusalKind = (refusal: string): RefusalKind | null => {
  const words = nodeWords(refusal);
  const kind = WORDS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'other';
  const isJudged = refusal.toLowerCase().includes(RULES) || (kind !== 'other' && kind !== 'trouble');
  return isJudged && kind !== 'trouble' ? kind : null;
};
