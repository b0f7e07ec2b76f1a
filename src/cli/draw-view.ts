/** Views drawn as text: tables, facts and sentences for people. */
import type { View, ViewBlock } from '../operation/define.js';
import { drawTable, linkOf, withLink } from './draw-table.js';
import type { Output, Painter } from './output.js';
import { ADDRESS, plainLine, plainLines, shortened, widthOf, wrapTo } from './plain-text.js';
import { NO_SCREEN, type Screen } from './screen.js';
import { toneOf } from './states.js';

/** Draws a QR code; null when none is wanted. */
type DrawQr = Output['drawQr'];

/** A block as text, and what there was no room for. */
type Drawn = { readonly text: string; readonly hidden: readonly string[] };

const drawn = (text: string): Drawn => ({ text, hidden: [] });

/** Facts whose value is a transaction. */
const OF_TRANSACTION = /transaction|funding|deposit|\btx\b/i;

/** Facts whose value is a state. */
const OF_STATE = /^(?:status|state)$/i;

const CENT = 0.01;

/** `~ 12.30 USD`; what is not worth a cent is less than one. */
const inDollars = (bch: number, { usd, age }: NonNullable<Screen['rate']>): string => {
  const worth = bch * usd;
  const text = bch > 0 && worth < CENT ? '< 0.01' : `~ ${worth.toFixed(2)}`;
  return `${text} USD${age === null ? '' : `, rate ${age}`}`;
};

/** The first amount of BCH in a value with what it is worth. */
const withWorth = (value: string, rate: Screen['rate']): string =>
  rate === null
    ? value
    : value.replace(
        /(?<![\d.])(\d+(?:\.\d+)?) BCH\b/,
        (all, bch: string) => `${all} (${inDollars(Number(bch), rate)})`,
      );

const withNames = (value: string, { names }: Screen): string =>
  value.replace(ADDRESS, (address: string, at: number) => {
    const name = names.get(address);
    const isNamed = value.startsWith(' (', at + address.length) || value.includes(`(${name ?? ''})`);
    return name === undefined || isNamed ? address : `${address} (${name})`;
  });

/** A value in lines of some columns: whole where it fits, its addresses and hashes shortened where it does not and may be. */
const linesOf = (value: string, columns: number, { isWhole }: Screen): readonly string[] => {
  const longest = Math.max(0, ...value.split(' ').map(widthOf));
  return wrapTo(isWhole || longest <= columns ? value : shortened(value), columns);
};

/** What a shell takes for a line that goes on. */
const CONTINUED = ' \\';

const INDENT = 2;

/** Values narrower than this are not read well. */
const LEAST_ROOM = 24;

/** One fact: what it is called, and its value beside it, or below it where that has more room. */
const drawFact = (
  [label, given]: readonly [label: string, value: string],
  labels: number,
  paint: Painter,
): readonly string[] => {
  const screen = paint.screen ?? NO_SCREEN;
  const { columns } = screen;
  const title = plainLine(label);
  const pad = ' '.repeat(Math.max(0, labels - widthOf(title)));
  const plain = plainLine(given);
  if (columns === null) return [`${paint('dim', title)}${pad}  ${plain}`.trimEnd()];
  const value = withWorth(withNames(plain, screen), screen.rate);
  const room = columns - labels - 2;
  const longest = Math.max(0, ...value.split(' ').map(widthOf));
  // A value has a line of its own where that saves its words from being broken, or from standing in a gutter.
  const isTight = widthOf(title) > labels || longest > room || room < LEAST_ROOM;
  const isBelow = isTight && widthOf(value) > room;
  const url = linkOf(plain, OF_TRANSACTION.test(title), screen);
  const tone = OF_STATE.test(title) ? toneOf(plain) : undefined;
  const lines = linesOf(value, isBelow ? columns - INDENT : room, screen).map((line) =>
    withLink(tone === undefined ? line : paint(tone, line), url),
  );
  if (isBelow) return [paint('dim', title), ...lines.map((line) => ' '.repeat(INDENT) + line)];
  return lines.map((line, index) =>
    (index === 0 ? `${paint('dim', title)}${pad}  ${line}` : ' '.repeat(labels + 2) + line).trimEnd(),
  );
};

const drawFacts = ({ rows }: Extract<ViewBlock, { readonly kind: 'facts' }>, paint: Painter): string => {
  const widest = Math.max(0, ...rows.map(([label]) => widthOf(plainLine(label))));
  const labels = Math.min(widest, Math.floor((paint.screen?.columns ?? Infinity) / 2));
  return rows.flatMap((row) => drawFact(row, labels, paint)).join('\n');
};

/** `... (ACTIVE)`: the state that a heading ends with. */
const withState = (line: string, paint: Painter): string =>
  line.replace(/\(([^()]+)\)$/, (all, word: string) => {
    const tone = toneOf(word);
    return tone === undefined ? all : `(${paint(tone, word)})`;
  });

/** Lines between words; a word alone (an address to be pasted) is the terminal's to break. */
const wrapped = (text: string, columns: number | null, screen = NO_SCREEN): readonly string[] =>
  text
    .split('\n')
    .flatMap((line) => (columns === null || !/\S\s+\S/.test(line) ? [line] : linesOf(line, columns, screen)));

const drawText = ({ text, from }: Extract<ViewBlock, { readonly kind: 'text' }>, paint: Painter): string => {
  const screen = paint.screen ?? NO_SCREEN;
  const plain = plainLines(text);
  if (from === 'others') {
    const room = screen.columns === null ? null : screen.columns - INDENT;
    const lines = wrapped(plain, room, screen).flatMap((line) =>
      room === null ? [line] : wrapTo(line, room),
    );
    return lines.map((line) => `${paint('dim', '|')} ${line}`.trimEnd()).join('\n');
  }
  return wrapped(plain, screen.columns, screen)
    .map((line, index) => (index === 0 ? withState(line, paint) : line))
    .join('\n');
};

/** A command in lines that a shell takes for one; quoted words stay what they are. */
const commandLines = (command: string, columns: number | null): readonly string[] => {
  if (columns === null || widthOf(command) <= columns || /['"]/.test(command)) return [command];
  const room = columns - CONTINUED.length;
  const lines: string[] = [];
  for (const word of command.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(`${line} ${word}`) <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => (index === lines.length - 1 ? line : line + CONTINUED));
};

/** Names in the place of addresses, their ends where they have none. */
const inShort = (text: string, { columns, names }: Screen): string =>
  columns === null ? text : shortened(text.replace(ADDRESS, (address) => names.get(address) ?? address));

const TASK_INDENT = 4;

/** Below this an id of a record has no room for more of a margin than {@link INDENT}. */
const NARROW = 60;

/** Longer names of records do not say where texts begin. */
const LABEL_CELLS = 16;

const drawTasks = (
  { title, items, more = null }: Extract<ViewBlock, { readonly kind: 'tasks' }>,
  paint: Painter,
): string => {
  const screen = paint.screen ?? NO_SCREEN;
  const { columns } = screen;
  const room = columns === null ? null : columns - TASK_INDENT;
  const widest = Math.max(
    ...items.map(({ label }) => widthOf(plainLine(label))).filter((width) => width <= LABEL_CELLS),
    0,
  );
  const indented = (lines: readonly string[]) => lines.map((line) => ' '.repeat(TASK_INDENT) + line);
  const lines = items.flatMap(({ label, text, command }) => {
    const name = plainLine(label);
    const said = inShort(plainLine(text), screen);
    const line = `${name}${' '.repeat(Math.max(0, widest - widthOf(name)))}  ${said}`;
    const told =
      room === null || widthOf(line) <= room + 2
        ? [`  ${line}`]
        : [`  ${wrapTo(name, room).join(' ')}`, ...indented(wrapTo(said, room))];
    const margin = columns !== null && columns < NARROW ? INDENT : TASK_INDENT;
    const steps =
      command === null
        ? []
        : commandLines(
            `treasury ${plainLine(pastable(command))}`,
            columns === null ? null : columns - margin,
          );
    return [...told, ...steps.map((one) => ' '.repeat(margin) + paint('cyan', one))];
  });
  const rest = more === null ? [] : wrapped(more, room).map((line) => paint('dim', `  ${line}`));
  return [...wrapped(paint('bold', plainLine(title)), columns), ...lines, ...rest].join('\n');
};

/** A picture where there is no terminal. */
const USUAL_COLUMNS = 80;

const draw = (block: ViewBlock, paint: Painter, drawQr: DrawQr): Drawn | null => {
  switch (block.kind) {
    case 'text':
      return drawn(drawText(block, paint));
    case 'file':
      return drawn(paint.screen?.columns == null ? block.text : plainLines(block.text));
    case 'drawing':
      return drawn(plainLines(block.draw(paint.screen?.columns ?? USUAL_COLUMNS)));
    case 'facts':
      return drawn(drawFacts(block, paint));
    case 'table':
      return block.rows.length === 0
        ? drawn(wrapped(block.empty ?? 'Nothing yet.', paint.screen?.columns ?? null).join('\n'))
        : drawTable(block, paint);
    case 'tasks':
      return drawn(drawTasks(block, paint));
    case 'qr':
      return drawQr === null ? null : drawn(drawQr(block.address, paint));
    case 'next':
      return null;
  }
};

/** A block as text; null for what is not shown (a picture), or not part of the data (a next step). */
export const drawBlock = (block: ViewBlock, paint: Painter, drawQr: DrawQr = null): string | null =>
  draw(block, paint, drawQr)?.text ?? null;

/** The blocks of a view that are data, a blank line between them; and the columns that there was no room for. */
export const layOutView = (view: View, paint: Painter, drawQr: DrawQr = null): Drawn => {
  const blocks = view
    .map((block) => draw(block, paint, drawQr))
    .filter((one): one is Drawn => one !== null && one.text !== '');
  return {
    text: blocks.map(({ text }) => text).join('\n\n'),
    hidden: [...new Set(blocks.flatMap(({ hidden }) => hidden))],
  };
};

/** The blocks of a view that are data, a blank line between them. */
export const drawView = (view: View, paint: Painter, drawQr: DrawQr = null): string =>
  layOutView(view, paint, drawQr).text;

/** A shell takes what follows a `#` for a comment; labels are accepted without it. */
const pastable = (command: string): string =>
  command.replace(/^treasury /, '').replace(/(?<= )#(?=[A-Z]+-\d)/g, '');

/** What a reader can do of a next step: as it is, with another wallet of theirs, or not at all. */
const stepFor = (
  { command, by }: Extract<ViewBlock, { readonly kind: 'next' }>,
  reader: Screen['reader'],
): string | null => {
  if (by === undefined || reader === null) return command;
  if (reader.address !== null && by.includes(reader.address)) return command;
  const wallet = by.map((address) => reader.wallets.get(address)).find((name) => name !== undefined);
  return wallet === undefined ? null : `${command} --wallet ${wallet}`;
};

/** The next steps that a view suggests to whoever reads: each command in a line of its own, to be cut and pasted. */
export const nextSteps = (view: View, screen: Screen = NO_SCREEN): readonly string[] =>
  view.flatMap((block) => {
    const step = block.kind === 'next' ? stepFor(block, screen.reader) : null;
    if (block.kind !== 'next' || step === null) return [];
    const command = `treasury ${plainLine(pastable(step))}`;
    const line = `Next: ${command}  (${block.why})`;
    if (widthOf(line) <= (screen.columns ?? Infinity)) return [line];
    const room = screen.columns === null ? null : screen.columns - INDENT;
    const lines = commandLines(command, room).map((one) => ' '.repeat(INDENT) + one);
    return [...wrapped(`Next, ${block.why}:`, screen.columns), ...lines];
  });
