/** The parts of the documents that are made from what they describe. `npm run docs` writes them; a test fails when they drift. */
import { readdirSync, readFileSync } from 'node:fs';
import { nouns } from '../src/app.js';
import { EXIT_CODES, TOPICS } from '../src/cli/show-help.js';
import { OWN_COMMANDS, OWN_VERBS } from '../src/cli/own-commands.js';
import { verbOf, faceOf } from '../src/cli/fields.js';
import { service } from '../src/home/index.js';
import { ERRORS, type ErrorCode } from '../src/errors.js';
import { operationsOf, type Auth, type Offer } from '../src/operation/define.js';
import { metricRows } from '../src/operation/ports/meters.js';
import { settingRows } from '../src/settings/settings.js';
import { comings, COMINGS, passagesOf } from './key-roles.js';
import { formatMarkdown } from './format-markdown.js';
import { drawPicture } from './picture.js';

const cell = (text: string | number | boolean): string => String(text).replaceAll('|', '\\|');

const table = (head: readonly string[], rows: readonly (readonly (string | number | boolean)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

const whoAsks: Record<Auth, string> = {
  none: 'anyone',
  optional: 'anyone; more for who says who they are',
  address: 'x-user-address, or a token',
  bearer: 'a token',
};

const routesTable = (offers: readonly Offer[]): string =>
  table(
    ['Method', 'Path', 'Who asks', 'What it does'],
    operationsOf(offers).flatMap(({ http, auth, summary }) =>
      http === undefined ? [] : [[http.method, code(http.path), whoAsks[auth], summary]],
    ),
  );

const commandOf = (noun: string, offer: Offer): (readonly string[])[] => {
  if ('kind' in offer) return [[code(`treasury ${noun} ${offer.verb}`), offer.summary]];
  if (faceOf(offer) === null) return [];
  const verb = verbOf(offer);
  return [[code(verb === noun ? `treasury ${noun}` : `treasury ${noun} ${verb}`), offer.summary]];
};

/** The columns that a command takes out of a file, under its name. */
const sheetOf = (noun: string, offer: Offer): readonly string[] => {
  const operation = 'kind' in offer ? offer.build : offer;
  const sheet = faceOf(operation)?.sheet;
  if (sheet === undefined) return [];
  const verb = 'kind' in offer ? offer.verb : verbOf(offer);
  const { columns } = sheet.kind;
  return [
    `## \`treasury ${noun} ${verb} --file\``,
    table(
      ['Column', 'What it is', 'Needed'],
      columns.map(({ name, about, needed }) => [code(name), about, needed]),
    ),
  ];
};

/** The rows of what is no operation: `help` explains itself. */
const ownCommands: readonly (readonly string[])[] = [
  ...Object.entries(OWN_VERBS).flatMap(([noun, verbs]) =>
    verbs.map(({ name, summary }) => [code(`treasury ${noun} ${name}`), summary]),
  ),
  ...OWN_COMMANDS.filter(({ name }) => name !== 'help').flatMap(({ name, summary, verbs }) =>
    verbs === undefined
      ? [[code(`treasury ${name}`), summary]]
      : verbs.map((verb) => [code(`treasury ${name} ${verb.name}`), verb.summary]),
  ),
];

/** Each table by the name of its page of the reference. */
const tables = async (): Promise<Readonly<Record<string, string>>> => {
  const loaded = await Promise.all(nouns.map(async (noun) => ({ noun, ...(await noun.load()) })));
  const { operations: served } = await service.load();
  return {
    routes: routesTable([...loaded.flatMap(({ operations }) => operations), ...served]),
    commands: table(
      ['Command', 'What it does'],
      [
        ...loaded.flatMap(({ noun, operations }) =>
          operations.flatMap((offer) => commandOf(noun.noun, offer)),
        ),
        ...ownCommands,
      ],
    ),
    settings: table(
      ['Setting', 'Variable', 'Flag', 'Default', 'What it is'],
      settingRows.map(({ name, env, flag, fallback, description }) => [
        code(name),
        code(env),
        code(flag),
        fallback,
        description,
      ]),
    ),
    metrics: table(
      ['Metric', 'Kind', 'Labels', 'What it is'],
      metricRows.map(({ metric, kind, labels, help }) => [
        code(metric),
        kind,
        labels.map(code).join(', '),
        help,
      ]),
    ),
    values: Object.values(TOPICS)
      .map((text) => `\`\`\`text\n${text}\n\`\`\``)
      .join('\n\n'),
    'exit-codes': table(
      ['Code', 'Meaning', 'May a script try again?', 'Errors'],
      EXIT_CODES.map(({ code: exit, meaning, again, errors }) => [
        exit,
        meaning,
        again,
        errors.map(code).join(', '),
      ]),
    ),
    csv: loaded
      .flatMap(({ noun, operations }) => operations.flatMap((offer) => sheetOf(noun.noun, offer)))
      .join('\n\n'),
    errors: table(
      ['Code', 'Status', 'Exit', 'Retry', 'Text'],
      (Object.keys(ERRORS) as ErrorCode[]).map((name) => {
        const { status, exit, retryable, message } = ERRORS[name];
        return [code(name), status, exit, retryable ? 'yes' : '', message];
      }),
    ),
  };
};

const REFERENCE = 'docs/reference';

/** Who is let through to what, with a key and without: a row for each route. */
const keysTable = async (): Promise<string> => {
  const loaded = await Promise.all([...nouns, service].map((noun) => noun.load()));
  const routed = loaded
    .flatMap(({ operations }) => operationsOf(operations))
    .filter(({ http }) => http !== undefined);
  return table(
    ['Operation', ...comings.map((coming) => COMINGS[coming])],
    routed.map((operation) => {
      const passages = passagesOf(operation);
      return [code(operation.id), ...comings.map((coming) => passages[coming])];
    }),
  );
};

/** A file as it is, and as it should be. */
export type Document = { readonly path: string; readonly current: string; readonly fresh: string };

const readPage = async (name: string, text: string, path = `${REFERENCE}/${name}.md`): Promise<Document> => {
  const current = readFileSync(path, 'utf8');
  const place = new RegExp(`(<!-- begin: ${name} -->)[\\s\\S]*?(<!-- end: ${name} -->)`);
  if (!place.test(current)) throw new Error(`${path} has no place for the table ${name}`);
  const filled = current.replace(
    place,
    (_all, begin: string, end: string) => `${begin}\n\n${text}\n\n${end}`,
  );
  return { path, current, fresh: await formatMarkdown(filled) };
};

/** The pages of the reference, their own text with fresh tables, and the README's picture. */
export const readDocuments = async (): Promise<readonly Document[]> => {
  const picture = 'docs/stream.svg';
  const current = readdirSync('docs').includes('stream.svg') ? readFileSync(picture, 'utf8') : '';
  return [
    { path: picture, current, fresh: drawPicture() },
    await readPage('keys', await keysTable(), 'SECURITY.md'),
    ...(await Promise.all(Object.entries(await tables()).map(([name, text]) => readPage(name, text)))),
  ];
};
