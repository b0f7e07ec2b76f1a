/** One invocation of a command: what it stands in, its voices, its global flags and its settings. */
import {
  readSettings,
  type ReadingOptions,
  type SettingName,
  type Settings,
  type SettingSources,
} from '../settings/settings.js';
import { chosenColumns, outputMode, settingFlags, type Globals } from './flags.js';
import { createOutput, type Output } from './output.js';
import type { SpinnerSlot, Environment } from './environment.js';

/** What a command takes, as its help names it. */
export type Takes = {
  /** By position: `vault-id`. */
  readonly positions: readonly string[];
  /** By flag, without the dashes: `total-amount`. */
  readonly flags: readonly string[];
};

export type Call = {
  readonly environment: Environment;
  readonly output: Output;
  readonly globals: Globals;
  /** The words that name the command, such as `rewards fund`. */
  readonly command: string;
  readonly takes: Takes;
  readonly spinner: SpinnerSlot;
};

/** The call of a command line whose global flags are known. */
export const createCall = (
  environment: Environment,
  globals: Globals,
  command: string,
  takes: Takes = { positions: [], flags: [] },
): Call => ({
  environment,
  globals,
  command,
  takes,
  spinner: { stop: null },
  output: createOutput(environment, {
    mode: outputMode(globals),
    quiet: globals.quiet === true,
    columns: chosenColumns(globals),
  }),
});

/** What the settings of a call are read from; `more` are flags of the command itself. */
export const settingSources = async (
  { environment, globals }: Call,
  more: Partial<Record<SettingName, unknown>> = {},
): Promise<SettingSources> => ({
  flags: { ...settingFlags(globals), ...more },
  env: environment.env,
  cwd: environment.cwd,
  folders: await environment.folders(),
});

/** The settings of a call; `more` are flags of the command itself. @throws invalid_setting, invalid_file */
export const callSettings = async (
  call: Call,
  more: Partial<Record<SettingName, unknown>> = {},
  options: ReadingOptions = {},
): Promise<Settings> => readSettings(await settingSources(call, more), options);
