/** What a drawing says: its elements, without a browser. */

/** An element as preact has it. */
export type Drawn = { readonly type: unknown; readonly props: Readonly<Record<string, unknown>> };

const isDrawn = (node: unknown): node is Drawn =>
  typeof node === 'object' && node !== null && 'props' in node;

/** Every element of some, from the outside in. */
export const elementsIn = (node: unknown): readonly Drawn[] => {
  if (Array.isArray(node)) return node.flatMap(elementsIn);
  return isDrawn(node) ? [node, ...elementsIn(node.props['children'])] : [];
};

/** All text in some elements. */
export const textIn = (node: unknown): string => {
  if (Array.isArray(node)) return node.map(textIn).join('');
  if (isDrawn(node)) return textIn(node.props['children']);
  return typeof node === 'string' || typeof node === 'number' ? String(node) : '';
};

/** The elements of a kind. */
export const all = (node: unknown, type: string): readonly Drawn[] =>
  elementsIn(node).filter((element) => element.type === type);
