/** A commit whose answer is lost is looked up; and the answer to that may be lost too. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { openPostgresStore } from '../../../src/adapters/postgres/postgres-store.js';
import { makeSchema, onPostgres } from '../store/each-store.js';
import { note, notes } from '../store/notes.js';

/** What becomes of what a client sends: it goes on, is kept from the server, or is done and its answer kept from the client. */
type Fate = 'passes' | 'is lost' | 'answer is lost';

/** A relay before the server; whatever is lost ends its connection. @returns the URL of it */
const relay = async (t: ExecutionContext, url: string, fateOf: (sent: string) => Fate): Promise<string> => {
  const to = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(to.port), to.hostname);
    let isDeaf = false;
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', end);
      socket.on('close', end);
    }
    near.on('data', (chunk) => {
      const fate = fateOf(chunk.toString('latin1'));
      if (fate === 'is lost') {
        end();
        return;
      }
      isDeaf ||= fate === 'answer is lost';
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (isDeaf) end();
      else near.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return through.href;
};

const isCommit = (sent: string): boolean => /[\0\v]commit\0/.test(sent);
const isLookup = (sent: string): boolean => sent.includes('is_ours');

/** Adds one to a note through a relay: its first commit has that fate, and the answer to the first look-up is lost. */
const addOnce = async (t: ExecutionContext, first: Fate) => {
  const { url, schema } = await makeSchema();
  let [commits, lookups] = [0, 0];
  const through = await relay(t, url, (sent) => {
    if (isCommit(sent)) return (commits += 1) === 1 ? first : 'passes';
    if (isLookup(sent)) return (lookups += 1) === 1 ? 'answer is lost' : 'passes';
    return 'passes';
  });
  const store = await openPostgresStore({ url: through, schema, connections: 3 });
  t.teardown(() => store.close());
  await store.transaction(async (writer) => {
    const before = (await writer.get(notes, 'a'))?.amount ?? 0n;
    writer.put(notes, note('a', { amount: before + 1n }));
  });
  return { lookups, amount: (await store.get(notes, 'a'))?.amount };
};

onPostgres(
  'transaction › given a commit that did not arrive, and a look-up whose answer was lost › what is answered is there',
  async (t) => {
    const { lookups, amount } = await addOnce(t, 'is lost');
    t.true(lookups >= 2, 'it was asked again what has become of the commit');
    t.is(amount, 1n);
  },
);

onPostgres(
  'transaction › given a commit that was made, and whose answer and first look-up were lost › it happens once',
  async (t) => {
    const { amount } = await addOnce(t, 'answer is lost');
    t.is(amount, 1n);
  },
);
