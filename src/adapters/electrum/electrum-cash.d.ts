/** The part of electrum-cash that is used here: its own types do not resolve in ESM projects. */
declare module 'electrum-cash' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';
  import type { WebSocket } from 'ws';

  export class ElectrumClient extends EventEmitter {
    constructor(
      application: string,
      version: string,
      host: string,
      port: number,
      scheme: 'tcp' | 'tcp_tls' | 'ws' | 'wss',
      timeout?: number,
      pingInterval?: number,
      reconnectInterval?: number,
    );
    readonly connection: {
      readonly socket: EventEmitter & { readonly tcpSocket?: Socket; readonly webSocket?: WebSocket };
      readonly verifications: readonly NodeJS.Timeout[];
      /** Writes a line. */
      send: (message: string) => boolean;
      readonly parseMessageChunk: (data: string) => void;
      readonly disconnect: (force: boolean) => Promise<boolean>;
      readonly clearReconnectTimer: () => void;
      readonly clearKeepAliveTimer: () => void;
    };
    connect(): Promise<void>;
    disconnect(force?: boolean): Promise<boolean>;
    request(method: string, ...parameters: readonly unknown[]): Promise<unknown>;
    subscribe(method: string, ...parameters: readonly unknown[]): Promise<void>;
    unsubscribe(method: string, ...parameters: readonly unknown[]): Promise<void>;
  }
}
