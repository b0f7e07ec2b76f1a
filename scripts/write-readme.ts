/** Writes the README's tables. */
import { writeFileSync } from 'node:fs';
import { freshReadme } from './readme-tables.js';

const { fresh, path } = await freshReadme();
writeFileSync(path, fresh);
