/** Names asked of a real server of names on loopback. */
import { createSocket } from 'node:dgram';
import test, { type ExecutionContext } from 'ava';
import { resolveByServers } from '../../../src/adapters/messenger/resolve.js';

const [A, AAAA] = [1, 28];
const RECORDS: Readonly<Record<number, readonly number[]>> = {
  [A]: [93, 184, 216, 34],
  [AAAA]: [0x20, 0x01, 0x48, 0x60, ...Array.from({ length: 11 }, () => 0), 1],
};

/** The answer to a question: its record, or that the name is none. */
const answerTo = (question: Buffer): Buffer => {
  const type = question.readUInt16BE(question.indexOf(0, 12) + 1);
  const end = question.indexOf(0, 12) + 5;
  const record = RECORDS[type];
  const isNone = question.includes('none') || record === undefined;
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(isNone ? 0x8183 : 0x8180, 2);
  head.writeUInt16BE(isNone ? 0 : 1, 6);
  head.writeUInt32BE(0, 8);
  const answer = isNone ? [] : [0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 60, 0, record.length, ...record];
  return Buffer.concat([head, question.subarray(12, end), Buffer.from(answer)]);
};

/** A server of names; one that is silent answers nothing. */
const openNames = (t: ExecutionContext, isSilent = false): Promise<string> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.on('message', (question, { port, address }) => {
      if (!isSilent) socket.send(answerTo(question), port, address);
    });
    t.teardown(() => socket.close());
    socket.bind(0, '127.0.0.1', () => {
      resolve(`127.0.0.1:${socket.address().port}`);
    });
  });

test('names › given one with addresses of both families › all of them are known', async (t) => {
  const resolve = resolveByServers([await openNames(t)]);
  t.deepEqual(await resolve('example.org'), ['93.184.216.34', '2001:4860::1']);
});

test('names › given one that is none › it is ENOTFOUND', async (t) => {
  const resolve = resolveByServers([await openNames(t)]);
  await t.throwsAsync(resolve('none.example.org'), { code: 'ENOTFOUND' });
});

test('names › given a server that never answers for many › others are answered at once', async (t) => {
  const silent = resolveByServers([await openNames(t, true)]);
  const asked = Array.from({ length: 40 }, (_, index) => silent(`${index}.example.org`));
  const failed = Promise.allSettled(asked);
  const resolve = resolveByServers([await openNames(t)]);
  const first = await Promise.race([resolve('example.org'), failed]);
  t.is(first[0], '93.184.216.34');
  t.true((await failed).every(({ status }) => status === 'rejected'));
});
