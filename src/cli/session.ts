/** An opened home and who is asking. On a fresh `local` home, opening sets it up. */
import type { App, AppPart } from '../app.js';
import type { Address } from '../bch/address.js';
import { isTreasuryError, TreasuryError } from '../errors.js';
import type { Credentials } from '../operation/auth.js';
import type { Context, Log, Serving } from '../operation/context.js';
import { operationsOf } from '../operation/define.js';
import { execute } from '../operation/execute.js';
import type { WalletInfo } from '../operation/ports/keys.js';
import { databaseOf } from '../settings/database.js';
import { isLoopback } from '../settings/loopback.js';
import type { Settings } from '../settings/settings.js';
import { askingOf } from './asking.js';
import { callSettings, settingSources, type Call } from './call.js';
import type { Deputy } from './deputy.js';
import { refreshLater, wantsNames } from './complete/home-names.js';
import { isInteractive } from './environment.js';
import { isWalletName, readAddressName } from './written-names.js';
import { passphraseSource } from './passphrase.js';
import { knowReader } from './reader.js';

/** Who is asking, and the wallet that signs for them. */
export type Operator = {
  readonly address: Address | null;
  /** Null when this home has no wallet that can sign for the address. */
  readonly walletName: string | null;
};

export type Session = {
  readonly call: Call;
  readonly app: App;
  readonly context: Context;
  readonly settings: Settings;
  readonly operator: Operator;
  readonly credentials: Credentials;
  /** Given: nobody is asked, and this agrees. */
  readonly deputy?: Deputy;
};

const INIT = 'init';

/** True for a `local` home without a wallet: the first command of a newcomer sets it up. */
const isFresh = async ({ context: { network, keys } }: App): Promise<boolean> =>
  network === 'local' && (await keys.list()).length === 0;

const setUpLocalHome = async (call: Call, { context }: App): Promise<void> => {
  const noun = call.environment.nouns.find((one) => one.noun === INIT);
  const init = operationsOf((await noun?.load())?.operations ?? []).find(({ id }) => id === INIT);
  if (init === undefined) return;
  try {
    await execute(init, {}, context, { kind: 'operator', address: null });
  } catch (error) {
    // Another first command was quicker.
    if (isTreasuryError(error) && ['home_exists', 'wallet_exists'].includes(error.code)) return;
    throw error;
  }
  call.output.talk(`Set up ${context.home} for the embedded chain, with a wallet and an authority key.`);
};

const fromWallet = ({ name, address }: WalletInfo): Operator => ({ walletName: name, address });

/** The wallet that is named, or the default one; nobody when the home has none. @throws wallet_not_found */
const signingWallet = async ({ keys }: Context, name: string | null): Promise<Operator> => {
  if (name !== null) return fromWallet(await keys.show(name));
  const wallets = await keys.list();
  const wallet = wallets.find(({ isDefault }) => isDefault);
  return wallet === undefined ? { address: null, walletName: null } : fromWallet(wallet);
};

/**
 * Who is asking: `--as` (a wallet, an address or a contact), else the wallet that signs.
 *
 * @throws wallet_not_found, contact_not_found, invalid_address
 */
export const resolveOperator = async (
  context: Context,
  { as, wallet }: Pick<Settings, 'as' | 'wallet'>,
): Promise<Operator> => {
  if (as === null) return signingWallet(context, wallet);
  const wallets = await context.keys.list();
  const named = wallets.find(({ name }) => name === as);
  if (named !== undefined && wallet === null) return fromWallet(named);
  if (named !== undefined) return { ...(await signingWallet(context, wallet)), address: named.address };
  if (isWalletName(as)) throw new TreasuryError('wallet_not_found', { name: as });
  const { address: text } = await readAddressName(as, context, '--as');
  const { parseAddress } = await import('../bch/address.js');
  const address = parseAddress(text, context.network, '--as');
  if (wallet !== null) return { ...(await signingWallet(context, wallet)), address };
  const own = wallets.find((one) => one.address.lockingBytecode === address.lockingBytecode);
  return { address, walletName: own?.name ?? null };
};

/** How a daemon with these settings would serve the home. */
const servingOf = ({ host, pageUrl, trustAddressHeader, requireKeys }: Settings): Serving => ({
  trustsAddressHeader: trustAddressHeader || (isLoopback(host) && pageUrl === null),
  requiresKeys: requireKeys,
});

/** How a session is opened. */
export type SessionOptions = {
  /** False for what sets the home up itself. */
  readonly setUp?: boolean;
  /** True: the home is opened as it is, asks nobody for anything, and nobody in particular is asking. */
  readonly inspectOnly?: boolean;
  /** What of the app is opened. Default `command`. */
  readonly part?: AppPart;
  readonly settings?: Settings;
  readonly log?: Log;
  /** True where there is somebody to show metrics to. */
  readonly metrics?: boolean;
};

/** Opens the home of a call with nothing made and nothing asked for. @throws settings errors */
const openInspection = async (call: Call): Promise<Session> => {
  const { findUnknownSettings } = await import('../settings/unknown.js');
  const unknownSettings = findUnknownSettings(await settingSources(call));
  const settings = await callSettings(call, {}, { passOverUnknown: true });
  const { passphraseFile, databaseUrlFile, tokenSecretFile, webhookSecretFile } = settings;
  const secretFiles = [passphraseFile, databaseUrlFile, tokenSecretFile, webhookSecretFile];
  const app = await call.environment.openApp({
    home: settings.home,
    network: settings.network,
    database: databaseOf(settings),
    outside: settings,
    askPassphrase: passphraseSource(call, passphraseFile, { mayPrompt: false }),
    inspectOnly: {
      unknownSettings,
      passphraseFile,
      secretFiles: secretFiles.filter((path) => path !== null),
    },
  });
  const operator: Operator = { address: null, walletName: null };
  const credentials: Credentials = { kind: 'operator', address: null };
  return { call, app, context: app.context, settings, operator, credentials };
};

/**
 * Opens the home of a call. Whoever opened a session closes its app.
 *
 * @throws home, store and settings errors, wallet_not_found, invalid_address
 */
export const openSession = async (call: Call, options: SessionOptions = {}): Promise<Session> => {
  const {
    setUp = true,
    inspectOnly = false,
    part = 'command',
    settings: given,
    log,
    metrics = false,
  } = options;
  if (inspectOnly) return openInspection(call);
  const settings = given ?? (await callSettings(call));
  const app = await call.environment.openApp({
    home: settings.home,
    network: settings.network,
    database: databaseOf(settings),
    outside: settings,
    part,
    metrics,
    askPassphrase: passphraseSource(call, settings.passphraseFile),
    remote: { ...settings, asking: askingOf(call) },
    ...(log === undefined ? {} : { log }),
  });
  try {
    if (setUp && (await isFresh(app))) {
      if (part !== 'command' && part !== 'all') {
        await app.close();
        return await openSession(call, { ...options, part: 'command' });
      }
      await setUpLocalHome(call, app);
    }
    const operator = await resolveOperator(app.context, settings);
    const credentials: Credentials = { kind: 'operator', address: operator.address };
    const known = await knowReader(call, app.context, { settings, address: operator.address?.text ?? null });
    const context: Context = { ...app.context, serving: servingOf(settings), isAtTerminal: true };
    return { call: known, app, context, settings, operator, credentials };
  } catch (error) {
    await app.close();
    throw error;
  }
};

/** Where a person completes names with the key next to this command, the next key knows what it has made. */
const renewNames = ({ call, settings }: Session): void => {
  // Those of a database are not kept beside the home.
  if (databaseOf(settings) === null && isInteractive(call.environment) && wantsNames(settings))
    refreshLater(settings);
};

/**
 * Opens the home of a call, works, and closes it whatever happens.
 *
 * @throws what opening, working and closing throw
 */
export const withSession = async <Result>(
  call: Call,
  work: (session: Session) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> => {
  const session = await openSession(call, options);
  try {
    return await work(session);
  } finally {
    await session.app.close();
    renewNames(session);
  }
};
