/**
 * The man pages: one of the program and one of each noun, from the commands as the build has described them, into
 * `dist/man`. The package names each, so that `man treasury-streams` works where npm has put it.
 *
 * Source: man(7), groff's macros for man pages.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A backslash begins an escape, a point or a quote at a line's beginning a request, and a dash is a hyphen unless it is said. */
const escape = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
    .replaceAll(
      /[^\0-\x7f]/gu,
      (letter) => `\\[u${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );

const bold = (text) => `\\fB${escape(text)}\\fR`;
const italic = (text) => `\\fI${escape(text)}\\fR`;

/** Paragraphs are parted by an empty line; what comes between backticks is to be typed. */
const prose = (text) =>
  text
    .split(/\n{2,}/)
    .map((paragraph) =>
      paragraph
        .replaceAll('\n', ' ')
        .split(/(`[^`]+`)/)
        .map((part) => (/^`.+`$/.test(part) ? bold(part.slice(1, -1)) : escape(part)))
        .join(''),
    )
    .join('\n.PP\n');

const item = (term, text) => `.TP\n${term}\n${prose(text === '' ? '-' : text)}`;

const optionItem = ({ flag, value, description }) =>
  item(`${bold(flag)}${value === null ? '' : ` ${italic(value)}`}`, description);

const shown = (options) => options.filter(({ isHidden }) => !isHidden);

const sections = (commands, names) =>
  commands.flatMap((command) => {
    const words = [...names, command.name];
    if (command.commands.length > 0) return sections(command.commands, words);
    return [
      `.SS ${bold(words.join(' '))} ${escape(command.usage)}`,
      prose(command.description),
      ...command.args.map(({ name, description }) => item(italic(name), description)),
      ...shown(command.options).map(optionItem),
    ];
  });

const page = (name, summary, version, parts) =>
  [
    `.TH "${name.toUpperCase()}" "1" "" "treasury ${version}" "User Commands"`,
    '.SH NAME',
    `${escape(name)} \\- ${escape(summary)}`,
    ...parts,
    '',
  ].join('\n');

const seeAlso = (names) => ['.SH SEE ALSO', names.map((name) => `${bold(name)}(1)`).join(',\n')];

/** Every page by its file's name. */
export const manPages = (program, version) => {
  const { options, commands, description } = program;
  const nouns = commands.filter((command) => command.name !== 'help');
  const pageOf = (noun) => `treasury-${noun.name}`;
  const everywhere = ['.SH OPTIONS OF EVERY COMMAND', ...shown(options).map(optionItem)];
  const main = page('treasury', description.replace(/\.$/, ''), version, [
    '.SH SYNOPSIS',
    `${bold('treasury')} ${italic('noun')} [${italic('verb')}] [${italic('options')}]`,
    '.SH COMMANDS',
    ...nouns.map((noun) => item(`${bold(pageOf(noun))}(1)`, `${noun.summary}.`)),
    ...everywhere,
  ]);
  const pages = nouns.map((noun) => [
    `${pageOf(noun)}.1`,
    page(pageOf(noun), noun.summary, version, [
      '.SH SYNOPSIS',
      `${bold(`treasury ${noun.name}`)} ${escape(noun.usage)}`,
      '.SH COMMANDS',
      ...(noun.commands.length > 0
        ? sections(noun.commands, ['treasury', noun.name])
        : sections([noun], ['treasury'])),
      ...seeAlso(['treasury']),
    ]),
  ]);
  return Object.fromEntries([['treasury.1', main], ...pages]);
};

/** Writes the pages of what was built. */
export const writeManPages = async () => {
  const [program, { version }] = await Promise.all(
    ['dist/commands.json', 'package.json'].map(async (file) => JSON.parse(await readFile(file, 'utf8'))),
  );
  const folder = join('dist', 'man');
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(manPages(program, version)))
    await writeFile(join(folder, name), text);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeManPages();
