/** The end of a wire to a world's database, as `pg` wants a socket. */
import net from 'node:net';
import { syncBuiltinESMExports } from 'node:module';
import { Duplex } from 'node:stream';
import type { SimDatabase } from './database.js';
import type { Wire } from './wires.js';
import { Killed, type SimProcess } from './host.js';
import { errno } from './disk.js';
import { runningOwner } from './timeline.js';

class SimSocket extends Duplex {
  readonly #database: SimDatabase;
  readonly #process: SimProcess;
  #wire: Wire | null = null;

  constructor(database: SimDatabase, process: SimProcess) {
    super();
    this.#database = database;
    this.#process = process;
  }

  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  connect(): this {
    this.#wire = this.#database.connect(this.#process, {
      opened: () => {
        if (!this.destroyed) this.emit('connect');
      },
      refused: () => {
        this.destroy(errno('ECONNREFUSED', 'connect'));
      },
      heard: (bytes) => {
        if (!this.destroyed) this.push(bytes);
      },
      ended: (isCut) => {
        if (this.destroyed) return;
        if (isCut) this.destroy(errno('ECONNRESET', 'read'));
        else {
          this.push(null);
          this.destroy();
        }
      },
    });
    return this;
  }

  override _read(): void {
    // What comes is pushed.
  }
  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    try {
      this.#process.use('database', () => this.#wire?.say(bytes));
    } catch (error) {
      // Who was killed is not told so.
      if (!(error instanceof Killed)) throw error;
    }
    done();
  }
  override _final(done: () => void): void {
    this.#wire?.end();
    done();
  }
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wire?.end();
    done(error);
  }
}

const RealSocket = net.Socket;

/** Gives processes of the world wires in the place of sockets, for good. */
export const takeSockets = (current: () => SimDatabase | null): void => {
  const Socket = function (options: net.SocketConstructorOpts) {
    const owner = runningOwner();
    if (owner === null) return new RealSocket(options);
    const database = current();
    if (database === null) throw new Error('this world has no database');
    return new SimSocket(database, owner as SimProcess);
  };
  Object.assign(net, { Socket });
  syncBuiltinESMExports();
};
