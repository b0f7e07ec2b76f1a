/** All commands as plain data, from the commands themselves: what completion and the man pages are made of. */
import type { Argument, Command, Option } from 'commander';
import { nouns } from '../../app.js';
import { processEnvironment } from '../environment.js';
import { OWN_COMMANDS } from '../own-commands.js';
import { buildProgram } from '../program.js';
import { offeredAt, type Values } from './offer-at.js';

export type DescribedOption = {
  /** `--total-pool`. */
  readonly flag: string;
  /** What its value is called; null for a switch. */
  readonly value: string | null;
  readonly description: string;
  /** True for one that may be given again. */
  readonly isMany: boolean;
  /** True for one that help leaves out. */
  readonly isHidden: boolean;
  readonly values: Values | null;
};

export type DescribedArgument = {
  readonly name: string;
  readonly description: string;
  readonly isMany: boolean;
  readonly values: Values | null;
};

export type DescribedCommand = {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** What follows its name, as its usage shows it. */
  readonly usage: string;
  /** Its own: those that every command takes are the program's. */
  readonly options: readonly DescribedOption[];
  readonly args: readonly DescribedArgument[];
  readonly commands: readonly DescribedCommand[];
};

const describeOption = (option: Option): DescribedOption => ({
  flag: option.long ?? option.flags,
  value: /[<[]([^\]>]+)[\]>]/.exec(option.flags)?.[1]?.replace('...', '') ?? null,
  description: option.description,
  isMany: option.variadic || option.parseArg !== undefined,
  isHidden: option.hidden,
  values: offeredAt(option),
});

const describeArgument = (argument: Argument): DescribedArgument => ({
  name: argument.name(),
  description: argument.description,
  isMany: argument.variadic,
  values: offeredAt(argument),
});

const describeCommand = (command: Command): DescribedCommand => ({
  name: command.name(),
  summary: command.summary(),
  description: command.description(),
  usage: command.usage(),
  options: command.options
    .filter(({ helpGroupHeading }) => command.parent === null || helpGroupHeading === undefined)
    .map(describeOption),
  args: command.registeredArguments.map(describeArgument),
  commands: command.commands.map(describeCommand),
});

/** The whole program. Only the module of a named noun is loaded by a program, so there is one for each. */
export const describeProgram = async (): Promise<DescribedCommand> => {
  const environment = await processEnvironment();
  const programOf = (argv: readonly string[]) => buildProgram(argv, environment, () => Promise.resolve());
  const root = describeCommand(await programOf([]));
  const names = [...nouns.map(({ noun }) => noun), ...OWN_COMMANDS.map(({ name }) => name)];
  const full = new Map<string, DescribedCommand>();
  for (const name of names) {
    const own = (await programOf([name])).commands.find((command) => command.name() === name);
    if (own !== undefined) full.set(name, describeCommand(own));
  }
  return { ...root, commands: root.commands.map((command) => full.get(command.name) ?? command) };
};
