/** Every benchmark, one after the other. Figures are ratios against a baseline of the same run. */
import { readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const here = new URL('.', import.meta.url).pathname;
for (const file of readdirSync(here).sort()) {
  if (!file.endsWith('.js') || file === 'index.js') continue;
  console.log(`\n== ${file.replace('.js', '')}`);
  const { status } = spawnSync(process.execPath, [`${here}${file}`], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
