/** Where there is no home: what looks only makes none, and says how one is made. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../errors.js';
import { callSettings, type Call } from './call.js';
import { writeDocument } from './show-reply.js';

/** True when the home of a call is there for its network. @throws invalid_setting, invalid_file */
export const hasHome = async (call: Call): Promise<boolean> => {
  const { home, network } = await callSettings(call);
  return existsSync(join(home, network));
};

/** Says in three lines what to do. */
export const tellNoHome = async (call: Call): Promise<number> => {
  const { home, network } = await callSettings(call);
  if (call.output.mode !== 'text') {
    writeDocument(call.output, { home, network, exists: false });
    return EXIT.done;
  }
  const flag = network === 'local' ? '' : ` --network ${network}`;
  call.output.data(
    [
      `There is no treasury on ${network} in ${home} yet.`,
      '  treasury demo   tells the whole story on a chain of its own, and keeps nothing',
      `  treasury${flag} init   makes one here`,
    ].join('\n'),
  );
  return EXIT.done;
};
