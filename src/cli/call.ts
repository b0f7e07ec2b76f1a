/** One invocation of a command: what it stands in, its voices, its global flags and its settings. */
import { readSettings, type SettingName, type Settings } from '../settings.js';
import { outputMode, settingFlags, type Globals } from './flags.js';
import { createOutput, type Output } from './output.js';
import type { SpinnerSlot } from './spinner.js';
import type { World } from './world.js';

export type Call = {
  readonly world: World;
  readonly output: Output;
  readonly globals: Globals;
  /** The words that name the command, such as `rewards fund`. */
  readonly command: string;
  readonly spinner: SpinnerSlot;
};

/** The call of a command line whose global flags are known. */
export const createCall = (world: World, globals: Globals, command: string): Call => ({
  world,
  globals,
  command,
  spinner: { stop: null },
  output: createOutput(world, { mode: outputMode(globals), quiet: globals.quiet === true }),
});

/**
 * The settings of a call; `more` are flags of the command itself.
 *
 * @throws invalid_setting, invalid_file
 */
export const callSettings = async (
  { world, globals }: Call,
  more: Partial<Record<SettingName, unknown>> = {},
): Promise<Settings> =>
  readSettings({
    flags: { ...settingFlags(globals), ...more },
    env: world.env,
    cwd: world.cwd,
    folders: await world.folders(),
  });
