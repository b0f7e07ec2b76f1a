/** Makes the mutants of a contract from its syntax tree. */
import {
  AssignNode,
  BinaryOpNode,
  BranchNode,
  CastNode,
  ConsoleStatementNode,
  FunctionCallNode,
  HexLiteralNode,
  IdentifierNode,
  InstantiationNode,
  IntLiteralNode,
  RequireNode,
  SliceNode,
  TimeOpNode,
  TupleAssignmentNode,
  TupleIndexOpNode,
  UnaryOpNode,
  VariableDefinitionNode,
  type BlockNode,
  type ExpressionNode,
  type Node,
  type ParameterNode,
  type StatementNode,
} from 'cashc/dist/ast/AST.js';
import type { ArtifactName } from '../../src/covenant/artifact.js';
import { nameOf, type Kind, type Mutant } from './mutant.js';
import { childrenOf, parseContract, spansOf, type Span } from './source-tree.js';

const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='];
const EQUALITIES = ['==', '!='];
const ARITHMETIC = ['+', '-', '*', '/', '%'];
const BITWISE = ['&', '|', '^'];
const FIELDS: Readonly<Record<string, string>> = { '.value': '.tokenAmount', '.tokenAmount': '.value' };

type Named = { readonly name: string; readonly type: string };
type Place = {
  readonly functionName: string;
  readonly statement: string;
  readonly anchor: number;
  readonly close: number;
  readonly scope: readonly Named[];
};
type Change = { readonly kind: Kind; readonly at: Span; readonly by: string; readonly context: Span };

const typeOf = (node: ExpressionNode): string => node.type?.toString() ?? '?';
const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();
const isLiteral = (node: Node): boolean => node instanceof IntLiteralNode || node instanceof HexLiteralNode;
const toHex = (bytes: readonly number[]): string => `0x${Buffer.from(bytes).toString('hex')}`;

const others = (all: readonly string[], one: string): string[] => all.filter((other) => other !== one);

/** What a literal becomes. Of a hex literal the first and the last byte go up and down. */
const literalChanges = (node: IntLiteralNode | HexLiteralNode): string[] => {
  if (node instanceof IntLiteralNode) {
    const { value } = node;
    return others([...new Set([value + 1n, value - 1n, 0n, 1n])].map(String), String(value));
  }
  const bytes = [...node.value];
  if (bytes.length === 0) return ['0x00', '0x01'];
  const shifted = [0, bytes.length - 1].flatMap((index) =>
    [1, -1].map((by) => bytes.map((byte, at) => (at === index ? (byte + by) & 0xff : byte))),
  );
  const all = [...shifted, bytes.map(() => 0), bytes.map((_, at) => (at === 0 ? 1 : 0))];
  return others([...new Set(all.map(toHex))], toHex(bytes));
};

/** The mutants of a source, each with a name of its own. */
export const mutantsOf = (contract: ArtifactName, source: string): Mutant[] => {
  const spanOf = spansOf(source);
  const textOf = (span: Span): string => source.slice(span.begin, span.end);
  const text = (node: Node): string => textOf(spanOf(node));
  const found: Mutant[] = [];
  const seen = new Map<string, number>();

  const add = ({ scope: _, ...place }: Place, { kind, at, by, context }: Change): void => {
    const whole = textOf(context);
    const changed = source.slice(context.begin, at.begin) + by + source.slice(at.end, context.end);
    const [was, becomes] = [squeeze(whole), squeeze(changed)];
    const mutant: Mutant = { ...place, ...at, kind, contract, was, becomes, replacement: by };
    const count = (seen.get(nameOf(mutant)) ?? 0) + 1;
    seen.set(nameOf(mutant), count);
    found.push(count === 1 ? mutant : { ...mutant, becomes: `${becomes} #${count}` });
  };

  /** The operator between two operands: nothing else stands there but space and parentheses. */
  const operatorOf = ({ left, operator, right }: BinaryOpNode): Span => {
    const begin = source.indexOf(operator, spanOf(left).end);
    if (begin === -1 || begin >= spanOf(right).begin) throw new Error(`no ${operator} between operands`);
    return { begin, end: begin + operator.length };
  };

  const byOne = (place: Place, node: Node, context: Span): void => {
    if (isLiteral(node)) return;
    for (const by of [`(${text(node)} + 1)`, `(${text(node)} - 1)`])
      add(place, { kind: 'off-by-one', at: spanOf(node), by, context });
  };

  const swap = (place: Place, [first, second]: readonly [Node, Node], context: Span): void => {
    const [a, b] = [spanOf(first), spanOf(second)];
    const by = textOf(b) + source.slice(a.end, b.begin) + textOf(a);
    add(place, { kind: 'operands', at: { begin: a.begin, end: b.end }, by, context });
  };

  const binary = (place: Place, node: BinaryOpNode): void => {
    const { left, operator, right } = node;
    const context = spanOf(node);
    const replaceOperator = (kind: Kind, all: readonly string[]): void => {
      for (const by of others(all, operator)) add(place, { kind, at: operatorOf(node), by, context });
    };
    const isInt = typeOf(left) === 'int';
    if (COMPARISONS.includes(operator)) {
      replaceOperator('comparison', isInt ? COMPARISONS : EQUALITIES);
      if (isInt) byOne(place, right, context);
    } else if (ARITHMETIC.includes(operator)) {
      if (isInt) replaceOperator('arithmetic', ARITHMETIC);
      if (!isInt || !['+', '*'].includes(operator)) swap(place, [left, right], context);
    } else if (BITWISE.includes(operator)) {
      replaceOperator('logic', BITWISE);
    } else if (['&&', '||'].includes(operator)) {
      replaceOperator('logic', ['&&', '||']);
      for (const side of [left, right]) add(place, { kind: 'logic', at: context, by: text(side), context });
    } else if (['.split'].includes(operator)) {
      byOne(place, right, context);
    }
  };

  const introspection = (place: Place, node: UnaryOpNode, context: Span): void => {
    if (!node.operator.startsWith('tx.')) return;
    const whole = text(node);
    const outwards = whole.startsWith('tx.inputs') ? 'tx.outputs' : 'tx.inputs';
    add(place, {
      kind: 'introspection',
      at: spanOf(node),
      by: whole.replace(/^tx\.\w+/, outwards),
      context,
    });
    const field = /\.\w+$/.exec(whole)?.[0] ?? '';
    const sibling = FIELDS[field];
    if (sibling !== undefined) {
      const by = whole.slice(0, -field.length) + sibling;
      add(place, { kind: 'introspection', at: spanOf(node), by, context });
    }
    byOne(place, node.expression, context);
  };

  const call = (place: Place, node: FunctionCallNode, context: Span): void => {
    const { identifier, parameters } = node;
    const [first, second] = parameters;
    if (['min', 'max'].includes(identifier.name))
      add(place, {
        kind: 'arithmetic',
        at: spanOf(identifier),
        by: identifier.name === 'min' ? 'max' : 'min',
        context,
      });
    else if (first !== undefined && second !== undefined) swap(place, [first, second], context);
  };

  const cast = (place: Place, node: CastNode): void => {
    const context = spanOf(node);
    const size = /^bytes(\d+)/.exec(text(node))?.[1];
    if (size === undefined) return;
    const at = { begin: context.begin, end: context.begin + `bytes${size}`.length };
    for (const by of [Number(size) + 1, Number(size) - 1].filter((bytes) => bytes > 0))
      add(place, { kind: 'constant', at, by: `bytes${by}`, context });
  };

  const half = (place: Place, node: TupleIndexOpNode): void => {
    const context = spanOf(node);
    const at = { begin: context.end - 2, end: context.end - 1 };
    add(place, { kind: 'introspection', at, by: String(1 - node.index), context });
  };

  const otherNames = (place: Place, node: IdentifierNode, context: Span): void => {
    for (const { name } of place.scope.filter(
      ({ name, type }) => name !== node.name && type === typeOf(node),
    ))
      add(place, { kind: 'identifier', at: spanOf(node), by: name, context });
  };

  const expression = (place: Place, node: Node, context: Span): void => {
    if (node instanceof IntLiteralNode || node instanceof HexLiteralNode)
      for (const by of literalChanges(node)) add(place, { kind: 'constant', at: spanOf(node), by, context });
    else if (node instanceof IdentifierNode) otherNames(place, node, context);
    else if (node instanceof BinaryOpNode) binary(place, node);
    else if (node instanceof UnaryOpNode) introspection(place, node, context);
    else if (node instanceof FunctionCallNode) call(place, node, spanOf(node));
    else if (node instanceof CastNode) cast(place, node);
    else if (node instanceof TupleIndexOpNode) half(place, node);
    else if (node instanceof SliceNode) {
      for (const bound of [node.start, node.end]) byOne(place, bound, spanOf(node));
    }
    const below =
      node instanceof FunctionCallNode || node instanceof InstantiationNode
        ? node.parameters
        : childrenOf(node);
    for (const child of below) expression(place, child, spanOf(node));
  };

  const whole = (statement: StatementNode): Span => {
    const { begin, end } = spanOf(statement);
    return { begin, end: source.charAt(end) === ';' ? end + 1 : end };
  };

  const branch = (place: Place, node: BranchNode): void => {
    const { condition, ifBlock, elseBlock } = node;
    const at = spanOf(condition);
    for (const by of [`!(${textOf(at)})`, 'true', 'false'])
      add(place, { kind: 'branch', at, by, context: at });
    if (elseBlock === undefined) return;
    for (const block of [ifBlock, elseBlock])
      add(place, { kind: 'branch', at: spanOf(block), by: '{}', context: spanOf(block) });
    const both = { begin: spanOf(ifBlock).begin, end: spanOf(elseBlock).end };
    const by = `${text(elseBlock)} else ${text(ifBlock)}`;
    add(place, { kind: 'branch', at: both, by, context: both });
  };

  const labelOf = (node: StatementNode): string => {
    if ((node instanceof RequireNode || node instanceof TimeOpNode) && node.message !== undefined)
      return node.message;
    if (node instanceof BranchNode) return `if (${squeeze(text(node.condition))})`;
    return squeeze(text(node).split('=')[0] ?? '');
  };

  const value = (place: Place, node: VariableDefinitionNode | AssignNode): void => {
    const type = node instanceof AssignNode ? typeOf(node.identifier) : node.type.toString();
    if (type === 'int') byOne(place, node.expression, spanOf(node));
    expression(place, node.expression, spanOf(node));
  };

  const block = (outer: Place, node: BlockNode): void => {
    let { scope } = outer;
    for (const statement of node.statements ?? []) {
      if (statement instanceof ConsoleStatementNode) continue;
      const at = whole(statement);
      const place: Place = { ...outer, scope, statement: labelOf(statement), anchor: at.begin };
      if (statement instanceof VariableDefinitionNode) {
        value(place, statement);
        scope = [...scope, { name: statement.name, type: statement.type.toString() }];
        continue;
      }
      if (statement instanceof TupleAssignmentNode) {
        expression(place, statement.tuple, spanOf(statement));
        const named = [statement.left, statement.right];
        scope = [...scope, ...named.map(({ name, type }) => ({ name, type: type.toString() }))];
        continue;
      }
      add(place, { kind: 'statement', at, by: '', context: at });
      if (statement instanceof AssignNode) value(place, statement);
      else if (statement instanceof RequireNode || statement instanceof TimeOpNode) {
        if (statement instanceof TimeOpNode) byOne(place, statement.expression, spanOf(statement));
        expression(place, statement.expression, spanOf(statement.expression));
      } else if (statement instanceof BranchNode) {
        branch(place, statement);
        expression(place, statement.condition, spanOf(statement.condition));
        block(place, statement.ifBlock);
        if (statement.elseBlock !== undefined) block(place, statement.elseBlock);
      }
    }
  };

  /** Two parameters of the same type change places. */
  const parameters = (place: Place, nodes: readonly ParameterNode[]): void => {
    nodes.forEach((first, index) => {
      for (const second of nodes.slice(index + 1)) {
        if (first.type.toString() !== second.type.toString()) continue;
        const [a, b] = [spanOf(first), spanOf(second)];
        const by = textOf(b) + source.slice(a.end, b.begin) + textOf(a);
        const at = { begin: a.begin, end: b.end };
        add(place, { kind: 'identifier', at, by, context: at });
      }
    });
  };

  const tree = parseContract(source);
  const named = (nodes: readonly ParameterNode[]): Named[] =>
    nodes.map(({ name, type }) => ({ name, type: type.toString() }));
  const outside = { statement: 'parameters', scope: [] };
  const end = source.lastIndexOf('}');
  parameters({ ...outside, functionName: contract, anchor: 0, close: end }, tree.parameters);
  for (const node of tree.functions) {
    const scope = [...named(tree.parameters), ...named(node.parameters)];
    const { begin, end: after } = spanOf(node);
    const place = { ...outside, functionName: node.name, anchor: begin, close: after - 1 };
    parameters(place, node.parameters);
    block({ ...place, scope }, node.body);
  }
  return found;
};
