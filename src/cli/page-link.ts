/** The address of the page that shows what a reply is about, where one is served. */
import type { AnyOperation, ViewBlock } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { faceOf } from './fields.js';
import type { Session } from './session.js';

/** The field that names it, at the terminal alone. */
const FIELD = 'pageUrl';

/** The reply with `pageUrl`: at the origin that the settings name, else at the daemon of this home that runs now. */
export const withPageUrl = (
  reply: Reply,
  operation: AnyOperation,
  { app, settings }: Pick<Session, 'app' | 'settings'>,
): Reply => {
  const path = reply['success'] === false ? null : (faceOf(operation)?.page?.(reply) ?? null);
  if (path === null) return reply;
  const origin = settings.pageUrl ?? app.servedPage?.url() ?? null;
  return origin === null ? reply : { ...reply, [FIELD]: `${origin}${path}` };
};

/** How it reads, and its picture. */
export const viewPageUrl = ({ [FIELD]: url }: Reply): readonly ViewBlock[] =>
  typeof url === 'string'
    ? [
        { kind: 'facts', rows: [['Page', url]] },
        { kind: 'qr', address: url },
      ]
    : [];
