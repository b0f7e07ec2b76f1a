/**
 * A daemon on a home that ends itself as `kill -9` would: before or after its n-th commit of a request, or when it is
 * about to answer. Prints its URL. Arguments: the home, and a fate such as `before 1`, `after 2`, `answer` or `none`.
 */
import { ServerResponse } from 'node:http';
import { openApp } from '../../../src/app.js';
import { startDaemon } from '../../../src/daemon/start-daemon.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { recordLog } from '../fake-app.js';

const [, , home = '', fate = 'none'] = process.argv;
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

const app = await openApp({ home, network: 'local' });
let commits = 0;
const transaction: StorePort['transaction'] = async (change) => {
  commits += 1;
  const number = commits;
  if (fate === `before ${number}`) die();
  const made = await app.context.store.transaction(change);
  if (fate === `after ${number}`) die();
  return made;
};
if (fate === 'answer') {
  ServerResponse.prototype.writeHead = function () {
    die();
    return this;
  };
}
const context = { ...app.context, store: { ...app.context.store, transaction } };
const daemon = await startDaemon({ app: { ...app, context }, port: 0, log: recordLog(), signals: null });
process.stdout.write(`${daemon.url}\n`);
