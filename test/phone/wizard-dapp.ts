/** The smallest dapp of WizardConnect there can be, for the tests of the phone itself: it checks nothing. */
import { randomBytes, randomInt } from 'node:crypto';
import { fromHex } from './envelope.js';
import { nostrKeyOf, randomKey, toGroups, unwrap, wrap } from './nostr.js';
import { NostrLine } from './nostr-line.js';
import { isChunk, Parts, toParts } from './chunks.js';

type Message = Record<string, unknown>;

export class RawWizardDapp {
  readonly heard: Message[] = [];
  readonly secret = new Uint8Array(randomBytes(8));
  wallet = '';
  readonly #key = randomKey();
  readonly #url: string;
  readonly #line: NostrLine;
  readonly #parts = new Parts();
  readonly #listeners = new Set<() => void>();

  constructor(url: string) {
    this.#url = url;
    this.#line = new NostrLine(url, nostrKeyOf(this.#key), (event) => {
      const { from, content } = unwrap(event, this.#key);
      let message = JSON.parse(content) as Message;
      if (isChunk(message)) {
        const whole = this.#parts.take(message);
        if (whole === null) return;
        message = JSON.parse(whole) as Message;
      }
      this.heard.push({ ...message, from });
      for (const listener of this.#listeners) listener();
    });
  }

  get uri(): string {
    const host = this.#url.replace('ws://', '');
    return `wiz://${host}?p=${toGroups(fromHex(nostrKeyOf(this.#key)))}&s=${toGroups(this.secret)}&pr=ws`;
  }

  get qr(): string {
    return this.uri.toUpperCase().replace('?', '%3F').replaceAll('=', '%3D').replaceAll('&', '%26');
  }

  async until(action: string, milliseconds = 30_000): Promise<Message> {
    const end = Date.now() + milliseconds;
    for (;;) {
      const index = this.heard.findIndex((message) => message['action'] === action);
      const [found] = index < 0 ? [] : this.heard.splice(index, 1);
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`not heard: ${action}; heard: ${JSON.stringify(this.heard)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#listeners.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Waits for the wallet and answers it; returns its wallet_ready. */
  async meet(): Promise<Message> {
    const ready = await this.until('wallet_ready');
    this.wallet = String(ready['from']);
    await this.ready(true);
    return ready;
  }

  async listen(): Promise<void> {
    await this.#line.goOnline();
  }

  async ready(isDiscovered: boolean): Promise<void> {
    await this.say({
      action: 'dapp_ready',
      supported_protocols: ['hdwalletv1'],
      wallet_discovered: isDiscovered,
      selected_protocol: 'hdwalletv1',
      dapp_name: 'Raw',
      extensions: { chunk: { version: 1 } },
    });
  }

  async say(body: Message): Promise<void> {
    const time = Math.floor(Date.now() / 1000);
    for (const part of toParts(JSON.stringify({ time, ...body }), time, true))
      await this.#line.publish(wrap(part, this.#key, this.wallet));
  }

  /** Asks for a signature; returns its sequence. */
  async ask(transaction: unknown, inputPaths: unknown): Promise<number> {
    const sequence = randomInt(2 ** 40);
    await this.say({ action: 'sign_transaction_request', sequence, transaction, inputPaths });
    return sequence;
  }

  close(): void {
    this.#line.goOffline();
  }
}
