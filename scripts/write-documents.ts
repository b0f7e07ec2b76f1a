/** Writes the parts of the documents that are made from the program. */
import { writeFileSync } from 'node:fs';
import { readDocuments } from './documents.js';

for (const { path, current, fresh } of await readDocuments()) {
  if (fresh !== current) writeFileSync(path, fresh);
}
