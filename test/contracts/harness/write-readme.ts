/** Writes the generated parts of contracts/README.md: `node scripts/compile.js test/contracts/harness/write-readme.ts`. */
import fs from 'node:fs';
import { fillReadme, README } from './report.js';

fs.writeFileSync(README, await fillReadme(fs.readFileSync(README, 'utf8')));
