/** Whether a record can be pushed, in words. */

/**
 * Who may pay what is due to the recipient without the recipient's signature.
 *
 * @param show an amount in the smallest unit, with its unit
 * @example
 * pushedWords('0', String); // 'by nobody: only the recipient takes it'
 * pushedWords('1000', String); // 'by anybody, to the recipient alone, from 1000 on'
 */
export const pushedWords = (minimumOnChain: string, show: (units: string) => string): string =>
  minimumOnChain === '0'
    ? 'by nobody: only the recipient takes it'
    : `by anybody, to the recipient alone, from ${show(minimumOnChain)} on`;
