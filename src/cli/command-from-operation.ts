/** Commands derived from operations and actions: nothing of a command is written twice. */
import { Argument, Option, type Command } from 'commander';
import { invalidField } from '../errors.js';
import type { Action, AnyOperation, CommandFace, Offer, SheetFace } from '../operation/define.js';
import type { StepFlags } from './build-step.js';
import type { Call } from './call.js';
import { offerAt } from './complete/offer-at.js';
import { valuesOf } from './complete/values.js';
import {
  describeField,
  fieldsOf,
  isPaged,
  isReading,
  writtenForm,
  pathSegments,
  faceOf,
  verbOf,
  type Field,
} from './fields.js';
import { addGlobalFlags, readGlobals, kebabCase } from './flags.js';
import type { Given } from './gather-input.js';
import { guideOf } from './guide/plan.js';
import { performOperation, type ReadingFlags } from './perform-operation.js';

/** Runs the work of a command, reports what goes wrong, and keeps the exit code for the process. */
export type Finish = (command: Command, work: (call: Call) => Promise<number>) => Promise<void>;

/** Where a command is added, and how it ends. */
type Site = { readonly noun: Command; readonly finish: Finish };

const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
];

/** What a flag's value is called in its help. */
const valueName = (field: Field): string => {
  if (field.kind === 'structure') return 'json or file';
  if (field.schema.file === true) return 'file';
  return writtenForm(field.schema)?.name ?? 'value';
};

const optionsOf = (
  field: Field,
  aliases: readonly string[],
  { noun, fields }: { readonly noun: string; readonly fields: readonly Field[] },
): readonly Option[] => {
  const flag = kebabCase(field.name);
  const description = describeField(field, fields);
  if (field.kind === 'switch') {
    const isOff = field.schema.default === false;
    return [
      new Option(`--${flag}`, description).hideHelp(!isOff),
      new Option(`--no-${flag}`, description).hideHelp(isOff),
    ];
  }
  const value = `<${valueName(field)}>`;
  return [flag, ...aliases.map(kebabCase)].map((name, index) => {
    const option = new Option(`--${name} ${value}`, description).hideHelp(index > 0);
    offerAt(option, valuesOf(field, noun));
    return field.kind === 'list' ? option.argParser(collect) : option;
  });
};

/** The commander names of the values of each field, the field's own name first. */
type Names = ReadonlyMap<Field, readonly string[]>;

const addFields = (command: Command, operation: AnyOperation, fields: readonly Field[]): Names => {
  const names = new Map<Field, readonly string[]>();
  const [noun = ''] = operation.id.split('.');
  const positional = fields.filter(({ place }) => place === 'position');
  for (const field of positional) {
    const isLast = field === positional.at(-1);
    const dots = isLast && ['list', 'files'].includes(field.kind) ? '...' : '';
    // Optional to commander: a missing one is asked for, or refused as any other missing value.
    const argument = new Argument(`[${kebabCase(field.name)}${dots}]`, describeField(field, fields));
    command.addArgument(offerAt(argument, valuesOf(field, noun)));
  }
  for (const field of fields.filter(({ place }) => place === 'flag')) {
    const aliases = Object.entries(operation.aliases ?? {}).filter(([, name]) => name === field.name);
    const options = optionsOf(
      field,
      aliases.map(([alias]) => alias),
      { noun, fields },
    );
    for (const option of options) command.addOption(option);
    names.set(field, [...new Set(options.map((option) => option.attributeName()))]);
  }
  const words = positional.map(({ label, isRequired, kind }) => {
    const name = `${label.slice(1, -1)}${kind === 'files' ? '...' : ''}`;
    return isRequired ? `<${name}>` : `[${name}]`;
  });
  command.usage([...words, '[options]'].join(' '));
  return names;
};

const readGiven = (command: Command, fields: readonly Field[], names: Names): Given => {
  const options = command.opts<Record<string, Given[string]>>();
  const globals = readGlobals(command) as Record<string, Given[string]>;
  const positional = fields.filter(({ place }) => place === 'position');
  const values = command.processedArgs as readonly Given[string][];
  return Object.fromEntries(
    fields.map((field) => {
      if (field.place === 'position') return [field.name, values[positional.indexOf(field)]];
      if (field.place === 'global') return [field.name, globals[field.name]];
      const given = (names.get(field) ?? []).map((name) => options[name]);
      return [field.name, given.find((value) => value !== undefined)];
    }),
  );
};

/** The group of two-word verbs (`spend create`): made with its first verb, and summed up by all of them. */
const groupOf = (noun: Command, name: string): Command => {
  const known = noun.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const group = noun.command(name);
  addGlobalFlags(group);
  return group;
};

/** The command of a verb; a verb of the noun's own name is the noun itself (`treasury init`). */
const commandOf = ({ noun }: Site, verb: string, summary: string): Command => {
  if (verb === noun.name()) return noun;
  const [first = verb, second] = verb.split(' ');
  const parent = second === undefined ? noun : groupOf(noun, first);
  const command = parent
    .command(second ?? first)
    .summary(summary)
    .description(`${summary}.`);
  addGlobalFlags(command);
  if (parent !== noun) parent.summary(parent.commands.map((child) => child.name()).join(', '));
  return command;
};

/** What more there is to say: where an operation has a route, it is said of that, and in its words. */
const describeFully = (command: Command, { http, description }: AnyOperation): void => {
  if (http !== undefined || description === undefined) return;
  command.description(`${command.description()}\n\n${description}`);
};

const ASKS = '\nOn a terminal it asks for what is missing, and ends with the same in one line.';

const addExample = (command: Command, operation: AnyOperation): void => {
  if (guideOf(operation) !== null) command.addHelpText('after', ASKS);
  const example = faceOf(operation)?.example;
  if (example !== undefined) command.addHelpText('after', `\nExample:\n  treasury ${example}`);
};

const CONFIRM_FLAG = '--confirm <label>';
/** What is read out of a file beside the fields of an operation. */
type SheetFlags = {
  readonly file?: string;
  readonly template?: boolean;
  readonly dateOrder?: string;
  readonly again?: boolean;
};

/** The flags of a table of rows: its file (unless the operation has a field for it), its template, its dates. */
const addSheetFlags = (command: Command, { sheet }: CommandFace): void => {
  if (sheet === undefined) return;
  const width = Math.max(...sheet.kind.columns.map(({ name }) => name.length));
  const whenOf = (needed: string): string =>
    needed === 'no'
      ? ''
      : needed.startsWith('no: ')
        ? ` (left out: ${needed.slice(4)})`
        : ` (needed: ${needed})`;
  const columns = sheet.kind.columns.map(
    ({ name, about, needed }) => `  ${name.padEnd(width)}  ${about}${whenOf(needed)}`,
  );
  if (sheet.file === undefined)
    command.option('--file <file>', 'CSV with a row for each, or - for standard input (see --template)');
  command
    .option('--template', 'print a CSV file to begin with, and stop')
    .option(
      '--date-order <order>',
      'dmy, mdy or ymd: take 31/12/2027 and a spreadsheet’s numbers of days in --file',
    );
  if (sheet.entries === null) command.option('--again', 'with --file: also pay rows that were paid before');
  command.addHelpText(
    'after',
    `\nColumns of --file, in any order:\n${columns.join('\n').replaceAll('`', '')}`,
  );
};

/** Prints the template of a table. @returns the exit code */
const printTemplate = async (call: Call, { kind }: SheetFace): Promise<number> => {
  const { templateOf } = await import('../operation/sheet.js');
  call.output.data(templateOf(kind).replace(/\n$/, ''));
  return 0;
};

const CONFIRM_HELP = 'label of the record that this ends, instead of being asked for it';

const addOperation = (site: Site, operation: AnyOperation, positional: readonly string[]): void => {
  const face = faceOf(operation);
  if (face === null) return;
  const fields = fieldsOf(operation, positional);
  const command = commandOf(site, verbOf(operation), operation.summary);
  describeFully(command, operation);
  const names = addFields(command, operation, fields);
  if (face.ending === true) command.option(CONFIRM_FLAG, CONFIRM_HELP);
  addSheetFlags(command, face);
  if (isPaged(operation)) command.option('--all', 'every page, and whatever is usually not shown');
  if (isReading(operation)) {
    command.option('--watch', 'draw it again when something changes, until Ctrl-C');
    command.option('--every <seconds>', 'with --watch: at the latest after that many seconds (default: 10)');
  }
  addExample(command, operation);
  command.action(async () => {
    const { file, dateOrder, template, ...flags } = command.opts<SheetFlags & ReadingFlags>();
    const given = readGiven(command, fields, names);
    const { sheet } = face;
    await site.finish(command, (call) => {
      if (sheet !== undefined && template === true) return printTemplate(call, sheet);
      const rows = sheet === undefined || file === undefined ? {} : { rows: { file, dateOrder } };
      return performOperation(call, operation, fields, given, { ...flags, ...rows });
    });
  });
};

const addAction = (site: Site, action: Action): void => {
  const { build, verb, summary, each } = action;
  const fields = fieldsOf(build);
  const command = commandOf(site, verb, summary);
  const names = addFields(command, build, fields);
  command
    .option('--unsigned', 'print the transaction for any wallet to sign, and stop')
    .option('--dry-run', 'build and check the transaction, show what it does, and stop')
    .option('--start-over', 'forget what an earlier run of this command signed, and build anew');
  if (each !== undefined)
    command
      .option('--all', 'take the step for everything it can be taken for, one by one')
      .option(
        '--min <amount>',
        'with --all: leave alone what is worth less, in BCH (default: twice its fee; 0 takes all)',
      );
  const { ending, sheet } = faceOf(build) ?? {};
  if (ending === true) command.option(CONFIRM_FLAG, CONFIRM_HELP);
  addSheetFlags(command, faceOf(build) ?? {});
  addExample(command, build);
  command.action(async () => {
    const given = readGiven(command, fields, names);
    type More = SheetFlags & { readonly all?: boolean; readonly min?: string };
    const { all, min, file, template, again, ...flags } = command.opts<StepFlags & More>();
    await site.finish(command, async (call) => {
      if (sheet !== undefined && template === true) return printTemplate(call, sheet);
      if (sheet?.entries === null && file !== undefined) {
        const { performRows } = await import('./row-steps.js');
        return performRows(call, { action, given, flags, file, isAgain: again === true });
      }
      if (all === true && each !== undefined) {
        const { performEach } = await import('./each-step.js');
        return performEach(call, { action, each, given, flags, min });
      }
      if (min !== undefined)
        throw invalidField('min', 'goes with --all: one record is taken whatever it is worth');
      const { performAction } = await import('./whole-step.js');
      return performAction(call, action, given, flags);
    });
  });
};

/** Adds what a noun offers: a command per operation, per whole step and per confirmation. */
export const addOffers = (site: Site, offers: readonly Offer[]): void => {
  for (const offer of offers) {
    if (!('kind' in offer)) {
      addOperation(site, offer, pathSegments(offer));
      continue;
    }
    addAction(site, offer);
    addOperation(site, offer.confirm, [...pathSegments(offer.confirm), 'txHash']);
  }
};
