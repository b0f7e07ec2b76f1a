/** Text of strangers, in which nothing is hidden: what would turn the order of letters, or not be seen, is written out. */
import { options } from 'preact';

/** The same as on a terminal: controls but the line feed, separators, and marks of direction. Source: Unicode TR9 and TR36. */
const STEERING = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** A text with all of that written out: `\u202e`. */
export const plainText = (text: string): string =>
  text.replace(STEERING, (one) =>
    one === '\t' ? ' ' : `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

const plain = (child: unknown): unknown => {
  if (typeof child === 'string') return plainText(child);
  return Array.isArray(child) ? child.map(plain) : child;
};

/** From now on every text between two tags is plain. */
export const drawPlainText = (): void => {
  // Preact asks no `this` of it.
  // oxlint-disable-next-line typescript/unbound-method
  const before = options.vnode;
  options.vnode = (vnode) => {
    const props = vnode.props as { children?: unknown } | null;
    if (typeof vnode.type === 'string' && props?.children !== undefined)
      props.children = plain(props.children);
    before?.(vnode);
  };
};
