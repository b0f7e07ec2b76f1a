/** Markdown as `npm run format` writes it. */
import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';

/** A formatted document. @throws when it cannot be read as Markdown */
export const formatMarkdown = async (text: string): Promise<string> => {
  const options = JSON.parse(readFileSync('.oxfmtrc.json', 'utf8')) as Parameters<typeof format>[2];
  const { code, errors } = await format('document.md', text, options);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
};
