/** Every benchmark, one after the other. Figures are ratios against a baseline of the same run. */
import { readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const here = new URL('.', import.meta.url).pathname;
for (const file of readdirSync(here).sort()) {
  if (!file.endsWith('.ts') || file === 'index.ts') continue;
  console.log(`\n== ${file.replace('.ts', '')}`);
  const { status } = spawnSync(process.execPath, ['--import=tsx', `${here}${file}`], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
