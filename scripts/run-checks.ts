/** Runs the checks that need no test side by side, and shows what the failing ones say. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const CHECKS = ['lint', 'types', 'format:check', 'imports', 'contracts:check'] as const;

/** True when a script of the package ends well. */
const check = async (script: string): Promise<boolean> => {
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  console.log(`${code === 0 ? 'ok' : 'FAILED'} ${script}`);
  if (code !== 0) console.log(said);
  return code === 0;
};

const results = await Promise.all(CHECKS.map(check));
process.exitCode = results.every((isGood) => isGood) ? 0 : 1;
