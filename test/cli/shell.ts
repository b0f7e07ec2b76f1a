/**
 * A shell whose `treasury` runs in this process. Each command opens the home of its surroundings and closes it again, as
 * the program would; what a process costs to start is what is left out.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { nouns, openApp, openDatabase } from '../../src/app.js';
import { run } from '../../src/cli/run.js';

/** Hands on its folder, its variables and its words, and is told the exit code and what was said. */
const TREASURY = `treasury() {
  local wire exit out err
  exec {wire}<>/dev/tcp/127.0.0.1/$TREASURY_SHELL
  { printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&$wire
  read -r -u $wire exit out err
  head -c "$out" <&$wire
  head -c "$err" <&$wire >&2
  exec {wire}>&-
  return "$exit"
}`;

const nobody = () => Promise.reject(new Error('nobody answers'));

type Line = { readonly cwd: string; readonly words: readonly string[]; readonly env: Record<string, string> };

/** A command line as the shell hands it on; null while it is not whole. */
const readLine = (text: string): Line | null => {
  if (!text.endsWith('\0\0')) return null;
  const [cwd = '', count = '', ...rest] = text.slice(0, -2).split('\0');
  const variables = rest.slice(Number(count)).map((line): [string, string] => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return { cwd, words: rest.slice(0, Number(count)), env: Object.fromEntries(variables) };
};

const perform = async ({ cwd, words, env }: Line, onOutput: (text: string) => void): Promise<Buffer> => {
  const [out, err]: [string[], string[]] = [[], []];
  const exit = await run(words, {
    stdin: {
      isTTY: false,
      [Symbol.asyncIterator]: async function* () {
        yield await Promise.resolve('');
      },
    },
    stdout: {
      write: (text) => {
        out.push(text);
        onOutput(text);
      },
    },
    stderr: { write: (text) => err.push(text) },
    env,
    cwd,
    folders: () => Promise.resolve({ data: env['TREASURY_HOME'] ?? cwd, config: cwd }),
    nouns,
    openApp,
    openDatabase,
    prompts: { confirm: nobody, text: nobody, choose: nobody, secret: nobody },
    startSpinner: () => Promise.resolve(() => undefined),
    sleep: (milliseconds) => wait(milliseconds),
  });
  const [said, talked] = [Buffer.from(out.join('')), Buffer.from(err.join(''))];
  return Buffer.concat([Buffer.from(`${exit} ${said.length} ${talked.length}\n`), said, talked]);
};

const answer = async (socket: Socket, onOutput: (text: string) => void): Promise<void> => {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    text += String(chunk);
    const line = readLine(text);
    if (line !== null) socket.end(await perform(line, onOutput));
  }
};

/** Runs a script of bash; it fails as the script does. */
export const runInShell = async (
  t: ExecutionContext,
  script: string,
  {
    cwd,
    env,
    onOutput = () => undefined,
  }: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    /** What commands say on stdout, as they say it. */
    readonly onOutput?: (text: string) => void;
  },
): Promise<void> => {
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket, onOutput));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const surroundings = { ...env, TREASURY_SHELL: String(port) };
  await promisify(execFile)('bash', ['-c', `${TREASURY}\n${script}`], { cwd, env: surroundings });
};
