/** Looking at the home of a world as it is, in a process of its own. */
import { openApp, type App } from '../../src/app.js';
import { throughServers } from '../chain-world.js';
import { HOME, NETWORK, type Site } from './processes.js';
import { runAs } from './timeline.js';
import type { OpenedWorld } from './world.js';

/** Opens the home, with all that can be done in it. */
export const openOn = ({ servers, connect, database }: Site): Promise<App> =>
  openApp({ home: HOME, network: NETWORK, database, outside: throughServers(servers), connect });

/** Opens the home in a process of that name, and ends it when all was read. */
export const readWith = async <T>(
  world: OpenedWorld,
  name: string,
  read: (app: App) => Promise<T>,
): Promise<T> => {
  const process = world.host.start(name);
  const found = await runAs(process, async () => {
    const app = await openOn(world.site);
    const all = await read(app);
    await app.close();
    return all;
  });
  process.kill();
  return found;
};
