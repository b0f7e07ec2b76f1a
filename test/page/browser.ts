/**
 * The wallet of the page as a browser runs it: bundled as the page is, in a world of its own that has what browsers have, and neither
 * `Buffer` nor `process`.
 */
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { WebSocket } from 'ws';
import type { Failure, OpenPageWallet, PageWalletSettings } from '../../src/page/wallet/port.js';

const ENTRY = 'src/page/wallet/open-wallet.ts';

/** The bundle as text: one script, which leaves its exports in `page`. */
export const bundleWallet = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'page',
    platform: 'browser',
    target: ['es2022'],
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
};

/** What of a browser the wallet may touch. */
const browserWorld = (Socket: new (address: string) => WebSocket) => ({
  WebSocket: Socket,
  crypto: globalThis.crypto,
  navigator: { onLine: true },
  TextEncoder,
  TextDecoder,
  URL,
  URLSearchParams,
  AbortController,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  btoa,
  atob,
  console,
});

/** A tab: what is loaded anew finds what was kept. */
export type Tab = {
  /** Loads the page: nothing is in memory but what is kept, and what was loaded before is gone with its lines. */
  readonly load: () => ReturnType<OpenPageWallet>;
  readonly kept: Map<string, string>;
};

const NOWHERE = 'ws://127.0.0.1:9';

let bundled: Promise<string> | undefined;

/** @param settings what the daemon at `url` says of phones */
export const openTab = async (
  url: string,
  settings: Partial<PageWalletSettings> = {},
  ask?: PageWalletSettings['ask'],
): Promise<Tab> => {
  bundled ??= bundleWallet();
  const script = await bundled;
  const kept = new Map<string, string>();
  const askDaemon: PageWalletSettings['ask'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { code, error, retryable, ...details } = (await response.json()) as Record<string, unknown>;
    if (response.ok) return details;
    throw Object.assign(new Error(String(error)), { code, retryable, details }) as Failure;
  };
  const { page: facts } = (await askDaemon('GET', '/api')) as { readonly page: PageWalletSettings['facts'] };
  let leave: () => void = () => undefined;
  return {
    kept,
    load: () => {
      leave();
      const page = { isLeft: false };
      const lines = new Set<WebSocket>();
      class Line extends WebSocket {
        constructor(address: string) {
          super(page.isLeft ? NOWHERE : address);
          lines.add(this);
        }
      }
      leave = () => {
        page.isLeft = true;
        for (const line of lines) line.terminate();
      };
      const world = createContext(browserWorld(Line));
      runInContext(script, world);
      const { openPageWallet } = runInContext('page', world) as { readonly openPageWallet: OpenPageWallet };
      return openPageWallet({
        ask: ask ?? askDaemon,
        facts,
        origin: url,
        storage: {
          getItem: (key) => kept.get(key) ?? null,
          setItem: (key, value) => {
            if (!page.isLeft) kept.set(key, value);
          },
          removeItem: (key) => {
            if (!page.isLeft) kept.delete(key);
          },
        },
        ...settings,
      });
    },
  };
};
