/** What a guide says between its questions, broken between words where the terminal would break them anywhere. */
import { knowing, type Output, type Painter } from '../output.js';
import { wrapTo } from '../plain-text.js';

/** A text in lines that fit, indented by some columns. */
export const inLines = (text: string, { screen }: Painter, indent = 0): string => {
  const columns = screen?.columns ?? null;
  const lines = text
    .split('\n')
    .flatMap((line) => (columns === null ? [line] : wrapTo(line, columns - indent)));
  return lines.map((line) => ' '.repeat(indent) + line).join('\n');
};

/** Says how an answer was understood. */
export const sayNote = ({ warn, paintTalk }: Output, note: string): void => {
  warn(paintTalk('dim', inLines(note, paintTalk, 2)));
};

/** Says what is wrong. */
export const sayProblem = ({ warn, paintTalk }: Output, problem: string): void => {
  warn(paintTalk('red', inLines(problem, paintTalk)));
};

/** For what has said the names of addresses itself. */
export const withoutNames = (paint: Painter): Painter => knowing(paint, { names: new Map() });
