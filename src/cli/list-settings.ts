/** `treasury config list`: every setting, and where it comes from. */
import { EXIT } from '../errors.js';
import { readSettingOrigins, SETTINGS, type SettingReading } from '../settings/settings.js';
import { settingSources, type Call } from './call.js';
import { showView, writeDocument } from './show-reply.js';

const valueText = ({ name, value }: SettingReading): string => {
  if (value === null || (Array.isArray(value) && value.length === 0))
    return `(${SETTINGS[name].fallbackText})`;
  return Array.isArray(value) ? value.join(', ') : String(value);
};

/** Shows the settings of a call. @throws invalid_setting, invalid_file */
export const listSettings = async (call: Call, withOrigin: boolean): Promise<number> => {
  const { output } = call;
  const settings = readSettingOrigins(await settingSources(call));
  if (output.mode !== 'text') {
    writeDocument(output, {
      settings: settings.map(({ name, value, origin, source }) =>
        withOrigin ? { name, value, origin, source } : { name, value },
      ),
    });
    return EXIT.done;
  }
  const head = withOrigin ? ['Setting', 'Value', 'From'] : ['Setting', 'Value'];
  const rows = settings.map((setting) => {
    const { name, origin, source } = setting;
    const row = [name, valueText(setting)];
    return withOrigin ? [...row, source === '' ? origin : `${origin}: ${source}`] : row;
  });
  showView(output, [{ kind: 'table', head, rows }]);
  return EXIT.done;
};
