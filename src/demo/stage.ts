/** The stage of the demo: a fresh home on a fresh embedded chain, people with wallets, and a ledger of what they did. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApp, type App } from '../app.js';
import type { Address } from '../bch/address.js';
import { displayNumber } from '../bch/amount.js';
import { sumSatoshis, sumTokens, type Output } from '../bch/coins.js';
import { coinAt } from '../bch/transaction.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { execute, type Reply } from '../operation/execute.js';

/** Somebody of the story. */
export type Person = { readonly name: string; readonly address: Address };

export type Stage = {
  readonly app: App;
  /** Makes a person with a wallet and, on request, BCH in several coins. */
  readonly person: (name: string, satoshis?: bigint) => Promise<Person>;
  /** One operation, as `actor`. */
  readonly ask: (actor: Person, operationId: string, input: Record<string, unknown>) => Promise<Reply>;
  /** One whole step: build, sign, broadcast, confirm. Returns the transaction id. */
  readonly carryOut: (actor: Person, step: StageStep) => Promise<string>;
  /** A whole step of a record that `input` names, by its product and verb: `streams` and `claim`. */
  readonly step: (
    actor: Person,
    [product, verb]: readonly [string, string],
    told: ToldInput,
  ) => Promise<string>;
  /** Mints a token to whoever pays; returns its category. */
  readonly mint: (
    actor: Person,
    token: { supply: string; decimals: number; symbol: string },
  ) => Promise<string>;
  /** A public vault, made by the first of its signers. */
  readonly vault: (name: string, signers: readonly Person[], totalDeposit: string) => Promise<Reply>;
  /** Satoshis of a person. */
  readonly satoshisOf: (person: Person) => Promise<bigint>;
  readonly tokensOf: (person: Person, category: string) => Promise<bigint>;
  /** Fees of all transactions so far that this actor signed, in satoshis. */
  readonly feesOf: (actor: Person) => bigint;
  readonly say: (text: string) => void;
  /** One line of the closing table; the demo fails when one does not hold. */
  readonly check: (what: string, expected: bigint, found: bigint) => void;
  readonly checks: readonly { readonly what: string; readonly ok: boolean }[];
  readonly close: () => Promise<void>;
};

type ToldInput = { readonly what: string; readonly input: Record<string, unknown> };

type StageStep = ToldInput & { readonly build: string; readonly confirm: string };

export const DAY = 86_400;

type Book = { readonly fees: Map<string, bigint>; readonly checks: { what: string; ok: boolean }[] };

const signAndSend = async (
  app: App,
  actor: Person,
  wcTransaction: WalletTransaction,
  book: Book,
): Promise<string> => {
  const { context } = app;
  const signed = await context.keys.signTransaction(actor.name, wcTransaction);
  const txid = await context.chain.broadcast(signed.transaction);
  const found = await context.chain.transaction(txid);
  if (found === null) throw new Error(`the chain does not know ${txid}, which it accepted`);
  const spent = await Promise.all(
    found.transaction.inputs.map(async (input) => {
      const source = await context.chain.transaction(input.txid);
      return source === null ? null : coinAt(source, input.vout);
    }),
  );
  const inputs: Output[] = spent.filter((coin) => coin !== null);
  const fee = sumSatoshis(inputs) - sumSatoshis(found.transaction.outputs);
  book.fees.set(actor.name, (book.fees.get(actor.name) ?? 0n) + fee);
  return txid;
};

/** What is asked of the app in somebody's name. */
const createAsking = (app: App, book: Book, say: Stage['say']) => {
  const { context } = app;

  const ask: Stage['ask'] = (actor, operationId, input) => {
    const operation = app.operations.find(({ id }) => id === operationId);
    if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
    return execute(operation, input, context, { kind: 'operator', address: actor.address });
  };

  const carryOut: Stage['carryOut'] = async (actor, step) => {
    let reply = await ask(actor, step.build, step.input);
    if (reply['requiresPreparation'] === true) {
      const prepared = await signAndSend(
        app,
        actor,
        reply['preparationTransaction'] as WalletTransaction,
        book,
      );
      say(`  ${prepared}  ${actor.name} prepares a coin`);
      reply = await ask(actor, step.build, step.input);
    }
    const txHash = await signAndSend(app, actor, reply['wcTransaction'] as WalletTransaction, book);
    await ask(actor, step.confirm, { ...step.input, txHash });
    say(`  ${txHash}  ${step.what}`);
    return txHash;
  };

  const step: Stage['step'] = (actor, [product, verb], told) =>
    carryOut(actor, {
      ...told,
      build: `${product}.${verb === 'funding' ? 'funding-info' : verb}`,
      confirm: `${product}.confirm-${verb}`,
    });

  const mint: Stage['mint'] = async (actor, token) => {
    const what = `${actor.name} mints ${token.supply} ${token.symbol}`;
    await step(actor, ['tokens', 'create'], { what, input: token });
    const { tokens } = (await ask(actor, 'tokens.list', {})) as {
      tokens: { symbol: string; category: string }[];
    };
    return tokens.find(({ symbol }) => symbol === token.symbol)?.category ?? '';
  };

  const vault: Stage['vault'] = async (name, signers, totalDeposit) => {
    const [creator] = signers;
    if (creator === undefined) throw new Error('a vault has signers');
    const wallets = await Promise.all(signers.map((signer) => context.keys.show(signer.name)));
    return ask(creator, 'vaults.create', {
      name,
      signers: signers.map(({ address }) => address.text),
      signerPubkeys: wallets.map(({ publicKey }) => publicKey),
      totalDeposit,
      isPublic: true,
    });
  };

  return { ask, carryOut, step, mint, vault };
};

const FAUCET_COINS = 3n;

/** Sets the stage. `say` gets what is told to the audience. */
export const setStage = async (say: (text: string) => void): Promise<Stage> => {
  const home = await mkdtemp(join(tmpdir(), 'treasury-demo-'));
  const app = await openApp({ home, network: 'local' });
  const { context } = app;
  const book: Book = { fees: new Map(), checks: [] };

  const person: Stage['person'] = async (name, satoshis = 0n) => {
    const { wallet } = await context.keys.create({ name, passphrase: null });
    for (let coin = 0n; satoshis > 0n && coin < FAUCET_COINS; coin += 1n) {
      await context.localChain?.faucet(wallet.address.lockingBytecode, satoshis / FAUCET_COINS);
    }
    return { name, address: wallet.address };
  };

  const coinsOf = ({ address }: Person) => context.chain.coins(address.lockingBytecode);
  return {
    app,
    person,
    ...createAsking(app, book, say),
    satoshisOf: async (who) => sumSatoshis(await coinsOf(who)),
    tokensOf: async (who, category) => sumTokens(await coinsOf(who), category),
    feesOf: ({ name }) => book.fees.get(name) ?? 0n,
    say,
    check: (what, expected, found) => {
      book.checks.push({ what, ok: expected === found });
      const verdict = expected === found ? 'ok  ' : 'FAIL';
      say(`  ${verdict} ${what}: ${found}${expected === found ? '' : ` (expected ${expected})`}`);
    },
    checks: book.checks,
    close: async () => {
      await app.close();
      await rm(home, { recursive: true, force: true });
    },
  };
};

/** Satoshis for people. */
export const bch = (satoshis: bigint): string => `${displayNumber(satoshis, 8)} BCH`;
