/** `treasury chain serve`: the embedded chain for wallets and libraries that speak the Electrum Cash protocol. */
import type { ChainServeOptions, ServedChain } from '../app.js';
import { listenForSignals, type SignalSource } from '../daemon/signals.js';
import { EXIT, TreasuryError } from '../errors.js';
import type { Call } from './call.js';
import { openSession } from './session.js';

/** Flags of `chain serve`, as commander gives them. */
export type ChainServeFlags = {
  readonly tcp?: string;
  readonly ws?: string;
  readonly host?: string;
  readonly indexDelay?: string;
};

/** The usual ports of the protocol, for when none is given. */
const USUAL = { tcp: 50_001, ws: 50_003 } as const;
const LOOPBACK = '127.0.0.1';

const readPort = (flag: string, text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new TreasuryError('invalid_setting', {
    setting: flag,
    value: text,
    expected: 'an integer from 0 to 65535',
  });
};

/** The longest that an index may be behind: what waits for it gives up after ten seconds. */
const LONGEST_DELAY_MS = 60_000;
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000 };

/** Milliseconds. @throws invalid_setting */
const readDelay = (text: string): number => {
  const [, count, unit = ''] = /^(\d{1,5}(?:\.\d{1,3})?)(ms|s)$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(count) * (UNITS_MS[unit] ?? Number.NaN));
  if (milliseconds <= LONGEST_DELAY_MS) return milliseconds;
  throw new TreasuryError('invalid_setting', {
    setting: '--index-delay',
    value: text,
    expected: 'a time from 0 to 60s, such as 2s or 500ms',
  });
};

/** Both ways on their usual ports when neither is named. @throws invalid_setting */
const optionsOf = ({ tcp, ws, host = LOOPBACK, indexDelay }: ChainServeFlags): ChainServeOptions => {
  const late = indexDelay === undefined ? {} : { indexDelayMs: readDelay(indexDelay) };
  if (tcp === undefined && ws === undefined) return { tcpPort: USUAL.tcp, wsPort: USUAL.ws, host, ...late };
  return {
    host,
    ...late,
    ...(tcp === undefined ? {} : { tcpPort: readPort('--tcp', tcp) }),
    ...(ws === undefined ? {} : { wsPort: readPort('--ws', ws) }),
  };
};

const announce = ({ output }: Call, { tcpUrl, wsUrl }: ServedChain): void => {
  const urls = [tcpUrl, wsUrl].filter((url) => url !== null);
  // Data, since programs read where the chain is when they let it take a free port.
  output.data(output.mode === 'text' ? urls.join('\n') : JSON.stringify({ tcpUrl, wsUrl }));
  output.talk('Serving the embedded chain over the Electrum Cash protocol. For development and tests only.');
};

/** Resolves at the first signal. */
const untilSignal = async ({ output }: Call, signals: SignalSource): Promise<void> => {
  const say = (_fields: unknown, message: string): void => {
    output.talk(message);
  };
  let stopListening: () => void = () => undefined;
  await new Promise<void>((resolve) => {
    stopListening = listenForSignals(signals, resolve, { info: say, warn: say, error: say });
  });
  stopListening();
};

/**
 * Serves the embedded chain of this home until a signal comes. Other commands may use the home meanwhile.
 *
 * @returns the exit code
 * @throws local_only, invalid_setting (also: the port is taken), home and store errors
 */
export const serveChain = async (
  call: Call,
  flags: ChainServeFlags,
  signals: SignalSource = process,
): Promise<number> => {
  const options = optionsOf(flags);
  const { app } = await openSession(call);
  try {
    const { context, serveChain: start } = app;
    if (start === null || start === undefined) {
      throw new TreasuryError('local_only', { command: 'treasury chain serve', network: context.network });
    }
    const served = await start(options);
    announce(call, served);
    await untilSignal(call, signals);
    await served.stop();
  } finally {
    await app.close();
  }
  return EXIT.done;
};
