/** A contract's syntax tree with types and places, from the compiler's own parser. */
import { parseCode } from 'cashc/dist/compiler.js';
import { Node, SourceFileNode, type ContractNode } from 'cashc/dist/ast/AST.js';
import SymbolTableTraversal from 'cashc/dist/semantic/SymbolTableTraversal.js';
import TypeCheckTraversal from 'cashc/dist/semantic/TypeCheckTraversal.js';

/** The checked tree: every expression knows its type. */
export const parseContract = (source: string): ContractNode => {
  const tree = parseCode(source)
    .accept<Node>(new SymbolTableTraversal())
    .accept<Node>(new TypeCheckTraversal());
  if (!(tree instanceof SourceFileNode)) throw new Error('the source holds no contract');
  return tree.contract;
};

/** `[begin, end)` in the text of the source. */
export type Span = { readonly begin: number; readonly end: number };

/** Where nodes stand: the compiler counts lines and columns. */
export const spansOf = (source: string): ((node: Node) => Span) => {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const at = ({ line, column }: { line: number; column: number }): number => (starts[line - 1] ?? 0) + column;
  return ({ location }) => ({ begin: at(location.start), end: at(location.end) });
};

/** The nodes directly below a node. */
export const childrenOf = (node: Node): Node[] =>
  Object.entries(node)
    .filter(([key]) => key !== 'definition' && key !== 'symbolTable')
    .flatMap(([, value]): Node[] => {
      if (value instanceof Node) return [value];
      return Array.isArray(value) ? value.filter((item) => item instanceof Node) : [];
    });
