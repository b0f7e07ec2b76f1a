/** Databases with all tables of treasury, for the network `local`. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { openDatabase } from '../../src/app.js';
import { makeDatabase, runSql, testServer } from './server.js';

const TEMPLATE = 'treasury_template';

const migrate = async (url: string): Promise<void> => {
  const database = await openDatabase({ url, connections: 2 }, 'local');
  try {
    await database.migrate();
  } finally {
    await database.close();
  }
};

/** Makes the database that others are copies of, once for a run: whoever comes first does it. */
const makeTemplate = async (serverUrl: string): Promise<void> => {
  const done = path.join(os.tmpdir(), 'postgres-template.done');
  try {
    fs.mkdirSync(path.join(os.tmpdir(), 'postgres-template.lock'));
  } catch {
    while (!fs.existsSync(done)) await wait(50);
    return;
  }
  try {
    await runSql(serverUrl, `create database ${TEMPLATE}`);
    const url = new URL(serverUrl);
    url.pathname = `/${TEMPLATE}`;
    await migrate(url.href);
  } finally {
    fs.writeFileSync(done, '');
  }
};

/** A database of its own with all tables, which goes when the test is over. @returns its URL */
export const makeTreasuryDatabase = async (t: Pick<ExecutionContext, 'teardown'>): Promise<string> => {
  const server = await testServer();
  if ('missing' in server) throw new Error(server.missing);
  // On a server of somebody else's nothing is left behind.
  if (process.env['TREASURY_TEST_DATABASE_URL'] !== undefined) {
    const url = await makeDatabase(t, server.url);
    await migrate(url);
    return url;
  }
  await makeTemplate(server.url);
  return makeDatabase(t, server.url, TEMPLATE);
};
