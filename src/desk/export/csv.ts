/** CSV that no spreadsheet takes for a formula. Source: RFC 4180; OWASP, CSV injection. */

/** What a spreadsheet may take for the beginning of a formula, also behind blanks. */
const FORMULA = /^\s*[=+\-@\t\r\n|%]/;
const SPECIAL = /[",\r\n]/;

/** A cell: text that would begin a formula gets an apostrophe before it, and what needs quotes gets them. */
export const csvCell = (text: string): string => {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
};

/** Lines of cells, each line ended by a line feed. */
export const csvText = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
