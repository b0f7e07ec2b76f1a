/**
 * Those who mean no good, in a process of their own: hostile requests as the tests play them, several at a time, and
 * connections that send a byte a second of a request that never ends. Started with port, requests, connections and
 * what is known of the home; sends how many it has played, and ends.
 */
import { connect } from 'node:net';
import { randomFrom } from '../../test/contracts/fuzz/random.js';
import { hostileRequest, type Api, type Known } from '../../test/hostile/requests.js';
import { sendBytes } from './connection.js';

const AT_ONCE = 8;
const SEED = 7;

const [port, requests, connections] = process.argv.slice(2, 5).map(Number) as [number, number, number];
const known = JSON.parse(process.argv[5] ?? '') as Known;

/** One connection that is never done; when the server lets go of it, it comes again. */
const dawdle = (): void => {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('GET /api/health HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
    timer = setInterval(() => socket.write('a'), 1_000);
  });
  let timer: NodeJS.Timeout | undefined;
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearInterval(timer);
    setTimeout(dawdle, 100);
  });
  socket.resume();
};

const api = (await (await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).json()) as Api;
for (let count = 0; count < connections; count += 1) dawdle();
let next = 0;
const work = async (): Promise<void> => {
  while (next < requests) {
    const number = next;
    next += 1;
    await sendBytes(port, hostileRequest(randomFrom(SEED, number), api, known));
  }
};
// Everybody who is slow is there before the first of the others.
await new Promise((resolve) => setTimeout(resolve, 2_000));
process.send?.({ begun: true });
await Promise.all(Array.from({ length: AT_ONCE }, work));
process.send?.({ played: next }, () => process.exit(0));
