/** `treasury config`: every setting and where it comes from; one read, set or unset in a file of settings. */
import { column } from '../operation/columns.js';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { nearestName } from '../nearest-name.js';
import { EXIT, invalidField, TreasuryError } from '../errors.js';
import {
  findProjectFile,
  isSecretName,
  PROJECT_FILE,
  readSettingOrigins,
  settingFiles,
  settingNames,
  shownValue,
  SETTINGS,
  USER_FILE,
  type SettingName,
  type SettingReading,
  type SettingSources,
} from '../settings/settings.js';
import { settingSources, type Call } from './call.js';
import { showView, writeDocument } from './show-reply.js';

const valueText = (reading: SettingReading): string => {
  const { name } = reading;
  const value = shownValue(reading);
  if (value === null || (Array.isArray(value) && value.length === 0))
    return `(${SETTINGS[name].fallbackText})`;
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
};

const originText = ({ origin, source }: SettingReading): string =>
  source === '' ? origin : `${origin}: ${source}`;

/** Shows the settings of a call. @throws invalid_setting, invalid_file */
export const listSettings = async (call: Call, withOrigin: boolean): Promise<number> => {
  const { output } = call;
  const settings = readSettingOrigins(await settingSources(call));
  if (output.mode !== 'text') {
    writeDocument(output, {
      settings: settings.map((reading) => {
        const { name, origin, source } = reading;
        const value = shownValue(reading);
        return withOrigin ? { name, value, origin, source } : { name, value };
      }),
    });
    return EXIT.done;
  }
  const head = [column.key('Setting'), column.prose('Value'), ...(withOrigin ? [column.prose('From')] : [])];
  const rows = settings.map((setting) => {
    const row = [setting.name, valueText(setting)];
    return withOrigin ? [...row, originText(setting)] : row;
  });
  showView(output, [{ kind: 'table', head, rows }]);
  return EXIT.done;
};

/** The setting of a name, in any case and with dashes. @throws missing_value, invalid_input */
const settingOf = (given: string | undefined): SettingName => {
  if (given === undefined) throw new TreasuryError('missing_value', { flag: 'The name of a setting' });
  const plain = given.replaceAll(/[-_]/g, '').toLowerCase();
  const found = settingNames.find((name) => name.toLowerCase() === plain);
  if (found !== undefined) return found;
  if (isSecretName(given))
    throw invalidField('', `"${given}" is no setting: no secret stands in a file of settings`);
  const nearest = nearestName(given, settingNames);
  const hint = nearest === null ? '`treasury config list` shows them' : `use ${nearest}, if that is meant`;
  throw invalidField('', `"${given}" is no setting: ${hint}`);
};

const readingOf = async (call: Call, name: SettingName): Promise<SettingReading> => {
  const found = readSettingOrigins(await settingSources(call)).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is in the table of settings`);
  return found;
};

/** Shows one setting as it stands: its value alone on stdout. @throws missing_value, invalid_input, invalid_setting, invalid_file */
export const getSetting = async (call: Call, given: string | undefined): Promise<number> => {
  const { output } = call;
  const reading = await readingOf(call, settingOf(given));
  const { name, origin, source } = reading;
  if (output.mode !== 'text') writeDocument(output, { name, value: shownValue(reading), origin, source });
  else {
    output.data(valueText(reading));
    output.talk(`From ${originText(reading)}.`);
  }
  return EXIT.done;
};

/** Which file is written: the project's in or above the working folder, or the user's. */
const fileOf = ({ cwd, folders }: SettingSources, inProject: boolean): string =>
  inProject
    ? (findProjectFile(resolve(cwd)) ?? join(resolve(cwd), PROJECT_FILE))
    : join(folders.config, USER_FILE);

/** Replaces a file of settings in one step. */
const writeSettings = (file: string, values: Readonly<Record<string, unknown>>): void => {
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(draft, `${JSON.stringify(values, null, 2)}\n`);
  renameSync(draft, file);
};

/** What is to become of a setting. */
type Change = {
  /** Undefined: it is taken out of the file. */
  readonly text: string | undefined;
  readonly inProject: boolean;
};

const change = async (call: Call, name: SettingName, { text, inProject }: Change): Promise<number> => {
  const { output } = call;
  if (text !== undefined && 'isSecret' in SETTINGS[name])
    throw invalidField(
      '',
      `${name} may hold a password: no secret stands in a file of settings. Name a file in ${name}File`,
    );
  const sources = await settingSources(call);
  const file = fileOf(sources, inProject);
  const { project, user } = settingFiles(sources);
  const { [name]: _before, ...others } = (inProject ? project : user)?.values ?? {};
  const parsed = text === undefined ? undefined : SETTINGS[name].parse(text);
  if (text !== undefined && parsed === undefined)
    throw new TreasuryError('invalid_setting', {
      setting: name,
      value: text,
      expected: SETTINGS[name].expected,
    });
  // A path is meant from where it is typed.
  const isPath = 'isPath' in SETTINGS[name] && typeof parsed === 'string';
  const value = isPath ? resolve(sources.cwd, parsed) : parsed;
  writeSettings(file, text === undefined ? others : { ...others, [name]: value });
  const present = await readingOf(call, name);
  if (output.mode === 'text') {
    output.data(text === undefined ? `${name} is no longer set in ${file}.` : `${name} is set in ${file}.`);
    output.talk(`It is ${valueText(present)} now (${originText(present)}).`);
    if (text !== undefined && present.source !== file)
      output.warn(`${originText(present)} comes before ${file}, and counts.`);
  } else
    writeDocument(output, {
      name,
      value: shownValue(present),
      origin: present.origin,
      source: present.source,
      file,
    });
  return EXIT.done;
};

/** Sets a setting in a file. @throws missing_value, invalid_input, invalid_setting, invalid_file */
export const setSetting = (
  call: Call,
  [given, text]: readonly (string | undefined)[],
  inProject: boolean,
): Promise<number> => {
  const name = settingOf(given);
  if (text === undefined) throw new TreasuryError('missing_value', { flag: 'The value of the setting' });
  return change(call, name, { text, inProject });
};

/** Takes a setting out of a file. @throws missing_value, invalid_input, invalid_file */
export const unsetSetting = (call: Call, given: string | undefined, inProject: boolean): Promise<number> =>
  change(call, settingOf(given), { text: undefined, inProject });
