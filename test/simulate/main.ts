/** The simulator as a program. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

// Compiling WebAssembly alone does not keep a process going.
setInterval(() => undefined, 1_000);

// What the program loads when it needs it is loaded before: time of the disk is not the time of the world.
for (const name of await readdir(import.meta.dirname))
  if (name.endsWith('.mjs') && name !== 'main.mjs') await import(join(import.meta.dirname, name));
const { simulate } = await import('./simulate.js');
process.exit(await simulate(process.argv.slice(2)));
