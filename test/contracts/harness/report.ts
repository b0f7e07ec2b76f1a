/** The tables of contracts/README.md: what was attacked, what refused, what a spend weighs. */
import { encodeTransaction } from '@bitauth/libauth';
import { ATTACKS, type AttackName, type Move } from './cases.js';
import { ASSETS, DUST, type Asset } from './coins.js';
import { EVERY_CONTRACT } from './every-contract.js';
import { functionOf } from './move.js';
import { buildTransaction, type Built, type Spend } from './spend.js';
import { MACHINES } from './verdict.js';
import { formatMarkdown } from '../../../scripts/format-markdown.js';

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');

const names = Object.keys(ATTACKS) as AttackName[];

/** Cells that are neither tried nor explained, or both. */
export const findUnexplained = (): string[] =>
  EVERY_CONTRACT.flatMap(({ contract, attacks, absent }) =>
    names
      .filter((name) => attacks.some(({ attack }) => attack === name) === ((absent[name] ?? '') !== ''))
      .map((name) => `${contract}: ${name}`),
  );

/** Attack by contract: how many attempts were refused, or the number of the reason why none applies. */
export const matrix = (): string => {
  const reasons: string[] = [];
  const noteOf = (reason: string): string => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return `(${reasons.indexOf(reason) + 1})`;
  };
  const rows = names.map((name) => [
    ATTACKS[name],
    ...EVERY_CONTRACT.map(({ attacks, absent }) => {
      const tried = attacks.filter(({ attack }) => attack === name).length;
      return tried > 0 ? tried : noteOf(absent[name] ?? 'no reason');
    }),
  ]);
  const sums = EVERY_CONTRACT.map(({ attacks }) => attacks.length);
  const head = ['Attack', ...EVERY_CONTRACT.map(({ contract }) => contract)];
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return [table(head, [...rows, ['All', ...sums]]), '', ...notes].join('\n');
};

/** Attack by what refuses it. */
export const refusals = (): string =>
  names
    .map((name) => {
      const messages = EVERY_CONTRACT.flatMap(({ attacks }) =>
        attacks.filter(({ attack }) => attack === name).map(({ refusedBy }) => refusedBy),
      );
      const refusedBy = [...new Set(messages)].sort().map((message) => `\`${message}\``);
      return refusedBy.length === 0 ? [] : [`- ${ATTACKS[name]}: ${refusedBy.join(', ')}`];
    })
    .flat()
    .join('\n');

export type Weight = {
  readonly contract: string;
  readonly name: string;
  readonly asset: string;
  /** Segments or milestones; 0 where there are none to count. */
  readonly count: number;
  /** Bytes of the unlocking bytecode of the input that calls the function. */
  readonly unlocking: number;
  /** Bytes of the transaction, which is its fee in satoshis at one a byte. */
  readonly transaction: number;
  /** Satoshis that the covenant keeps beside its pool: of its thread, its reserve, its ballot. */
  readonly dust: number;
  /** Operation cost of that input as a share of its budget, in percent. */
  readonly cost: number;
};

const COST_PER_BYTE = 800;
const INPUT_ALLOWANCE = 41;

/** Operation cost against the budget that the unlocking bytecode's length gives. Source: VM limits CHIP. */
const costShare = (built: Built, inputIndex: number, unlocking: number): number => {
  const last = MACHINES['2026'].debug({ ...built, inputIndex }).at(-1);
  if (last === undefined) throw new Error('nothing was executed');
  return (last.metrics.operationCost / ((INPUT_ALLOWANCE + unlocking) * COST_PER_BYTE)) * 100;
};

type Subject = {
  readonly contract: string;
  readonly call: string;
  readonly name: string;
  readonly asset: Asset;
  readonly count: number;
};

/** What the coins of contracts hold besides BCH that belongs to somebody's pool: nothing is beside plain BCH. */
const dustOf = ({ inputs }: Spend, asset: Asset): number =>
  inputs.reduce((sum, { unlock, coin: { token, valueSatoshis } }) => {
    if ('key' in unlock || token === undefined) return sum;
    return sum + Number(asset === 'tokens' || valueSatoshis < DUST ? valueSatoshis : DUST);
  }, 0);

const weigh = ({ contract, call, ...subject }: Subject, spend: Spend): Weight => {
  const built = buildTransaction(spend);
  const at = spend.inputs.findIndex(
    ({ unlock }) => 'call' in unlock && unlock.call === call && unlock.contract.name === contract,
  );
  const unlocking = built.transaction.inputs[at]?.unlockingBytecode.length ?? 0;
  return {
    contract,
    ...subject,
    unlocking,
    transaction: encodeTransaction(built.transaction).length,
    dust: dustOf(spend, subject.asset),
    cost: costShare(built, at, unlocking),
  };
};

/** The first move of every function, in BCH and then in tokens. */
export const firstOfEach = (moves: readonly Move[]): Move[] =>
  ASSETS.flatMap((asset) =>
    moves.filter(
      (move, index) =>
        move.asset === asset &&
        moves.findIndex((other) => other.asset === asset && functionOf(other) === functionOf(move)) === index,
    ),
  );

/** The weight of the first move of every function, and of what the cases name besides; of one contract, or of all. */
export const weights = (only?: string): Weight[] =>
  EVERY_CONTRACT.filter(({ contract }) => only === undefined || contract === only).flatMap(
    ({ contract, moves, sizes = [] }) => [
      ...firstOfEach(moves).map((move) => {
        const call = functionOf(move);
        return weigh({ contract, call, name: call, asset: move.asset, count: 0 }, move.build());
      }),
      ...sizes.map(({ name, asset, count, build }) =>
        weigh({ contract, call: name.split(',')[0] ?? name, name, asset, count }, build()),
      ),
    ],
  );

/** Sizes and costs. */
export const sizes = (): string =>
  table(
    ['Contract', 'Function', 'Pool', 'Unlocking bytes', 'Transaction bytes', 'Dust', 'VM cost, % of budget'],
    weights().map(({ contract, name, asset, unlocking, transaction, dust, cost }) => [
      contract,
      name,
      asset,
      unlocking,
      transaction,
      dust,
      cost.toFixed(1),
    ]),
  );

/** The parts of the README that are made here, by the name in their markers. */
export const PARTS: Readonly<Record<string, () => string>> = { matrix, refusals, sizes };

const markers = (part: string) => [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`] as const;

/** Where the parts stand. */
export const README = new URL('../../../contracts/README.md', import.meta.url);

/** The README with every part as it should be. */
export const fillReadme = async (readme: string): Promise<string> => {
  const filled = Object.entries(PARTS).reduce((text, [part, make]) => {
    const [begin, end] = markers(part);
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`README has no place for ${part}`);
    return `${before}${begin}\n\n${make()}\n\n${end}${after}`;
  }, readme);
  return formatMarkdown(filled);
};
