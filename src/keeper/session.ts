/** A session of one wallet of a keeper: it says nothing, asks nobody, and agrees by a rule. */
import type { Call } from '../cli/call.js';
import type { Deputy } from '../cli/deputy.js';
import type { Session } from '../cli/session.js';
import type { Reply } from '../operation/execute.js';
import type { WalletInfo } from '../operation/ports/keys.js';

/** The voices of a step that nobody listens to: its document is kept. */
const quietly = ({ call }: Session): { readonly call: Call; readonly document: () => Reply } => {
  const kept: string[] = [];
  const nothing = (): void => undefined;
  const output = {
    ...call.output,
    mode: 'json' as const,
    data: (text: string) => void kept.push(text),
    talk: nothing,
    warn: nothing,
  };
  return {
    call: { ...call, output, globals: { ...call.globals, yes: true, quiet: true } },
    document: () => (kept.length === 0 ? {} : (JSON.parse(kept.join('\n')) as Reply)),
  };
};

/** The session of a wallet, and what its step has answered. */
export const sessionOf = (
  base: Session,
  { name, address }: WalletInfo,
  deputy: Deputy,
): { readonly session: Session; readonly document: () => Reply } => {
  const { call, document } = quietly(base);
  const session: Session = {
    ...base,
    call,
    operator: { address, walletName: name },
    credentials: { kind: 'operator', address },
    deputy,
  };
  return { session, document };
};
