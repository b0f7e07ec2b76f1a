/** Commands derived from operations and actions: nothing of a command is written twice. */
import { Argument, Option, type Command } from 'commander';
import type { Action, AnyOperation, Offer } from '../operation/define.js';
import type { StepFlags } from './build-step.js';
import type { Call } from './call.js';
import { offerAt } from './complete/offer-at.js';
import { valuesOf } from './complete/values.js';
import { describeField, fieldsOf, writtenForm, pathSegments, faceOf, verbOf, type Field } from './fields.js';
import { addGlobalFlags, readGlobals, kebabCase } from './flags.js';
import type { Given } from './gather-input.js';
import { performOperation } from './perform-operation.js';

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

const optionsOf = (field: Field, aliases: readonly string[], noun: string): readonly Option[] => {
  const flag = kebabCase(field.name);
  const description = describeField(field);
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
    const argument = new Argument(`[${kebabCase(field.name)}${dots}]`, describeField(field));
    command.addArgument(offerAt(argument, valuesOf(field, noun)));
  }
  for (const field of fields.filter(({ place }) => place === 'flag')) {
    const aliases = Object.entries(operation.aliases ?? {}).filter(([, name]) => name === field.name);
    const options = optionsOf(
      field,
      aliases.map(([alias]) => alias),
      noun,
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

const addExample = (command: Command, operation: AnyOperation): void => {
  const example = faceOf(operation)?.example;
  if (example !== undefined) command.addHelpText('after', `\nExample:\n  treasury ${example}`);
};

const CONFIRM_FLAG = '--confirm <label>';
const CONFIRM_HELP = 'label of the record that this ends, instead of being asked for it';

const addOperation = (site: Site, operation: AnyOperation, positional: readonly string[]): void => {
  const face = faceOf(operation);
  if (face === null) return;
  const fields = fieldsOf(operation, positional);
  const command = commandOf(site, verbOf(operation), operation.summary);
  describeFully(command, operation);
  const names = addFields(command, operation, fields);
  if (face.ending === true) command.option(CONFIRM_FLAG, CONFIRM_HELP);
  addExample(command, operation);
  command.action(async () => {
    const { confirm } = command.opts<{ confirm?: string }>();
    const given = readGiven(command, fields, names);
    const flags = face.ending === true && confirm !== undefined ? { confirm } : {};
    await site.finish(command, (call) => performOperation(call, operation, fields, given, flags));
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
    command.option('--all', 'take the step for everything it can be taken for, one by one');
  if (faceOf(build)?.ending === true) command.option(CONFIRM_FLAG, CONFIRM_HELP);
  addExample(command, build);
  command.action(async () => {
    const given = readGiven(command, fields, names);
    const { all, ...flags } = command.opts<StepFlags & { all?: boolean }>();
    await site.finish(command, async (call) => {
      if (all === true && each !== undefined) {
        const { performEach } = await import('./each-step.js');
        return performEach(call, { action, each, given, flags });
      }
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
