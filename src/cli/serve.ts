/** `treasury serve`: the daemon on this home. */
import { guardProcess } from '../daemon/signals.js';
import { createLog } from '../daemon/log.js';
import { createSharing } from '../daemon/sharing/share.js';
import { workersOf } from '../daemon/workers.js';
import { spareMemory } from '../daemon/spare-memory.js';
import { startDaemon } from '../daemon/start-daemon.js';
import { EXIT, isTreasuryError } from '../errors.js';
import { PAGE_ROOT } from '../page-paths.js';
import { isLoopback } from '../settings/loopback.js';
import { phonePlaces } from '../settings/phone-places.js';
import { variableOf, type Settings } from '../settings/settings.js';
import { callSettings, type Call } from './call.js';
import { openSession, type Session } from './session.js';

/** Flags of `serve`, as commander gives them. */
export type ServeFlags = {
  readonly port?: string;
  readonly host?: string;
  readonly corsOrigin?: readonly string[];
  readonly ratePerMinute?: string;
  readonly trustAddressHeader?: boolean;
  readonly requireKeys?: boolean;
  readonly logLevel?: string;
  readonly metrics?: boolean;
  readonly page?: boolean;
  readonly keeper?: boolean;
};

const serveSettings = (call: Call, { corsOrigin, keeper: _, ...flags }: ServeFlags): Promise<Settings> =>
  callSettings(call, { ...flags, ...(corsOrigin === undefined ? {} : { corsOrigins: corsOrigin }) });

/** Asks for the authority's passphrase now, while there is somebody to ask. Without it, routes that need it say so. */
const unlockAuthority = async ({ context, call }: Session): Promise<void> => {
  try {
    await context.keys.authority();
  } catch (error) {
    if (!isTreasuryError(error) || !['authority_locked', 'authority_missing'].includes(error.code))
      throw error;
    call.output.warn(`${call.output.paintTalk('yellow', 'Warning:')} ${error.message}`);
  }
};

/** Of several daemons each would make a secret of its own: what one has given out, the others refuse. */
const warnOfSecrets = ({ context, call, settings }: Session): void => {
  if (!context.store.isShared) return;
  const missing = (['tokenSecretFile', 'webhookSecretFile'] as const).filter(
    (name) => settings[name] === null,
  );
  if (missing.length === 0) return;
  const variables = missing.map(variableOf).join(' and ');
  call.output.warn(
    `${call.output.paintTalk('yellow', 'Warning:')} Access tokens, and what is signed for webhooks, are good at the daemons with the same secret: set ${variables} to the same file for all.`,
  );
};

const isPageServed = ({ page, host }: Settings): boolean => page ?? isLoopback(host);

/** The page and where it reaches phones; nothing where it is not served. */
const pageOf = (settings: Settings) => (isPageServed(settings) ? { page: phonePlaces(settings) } : {});

/**
 * Starts the daemon and returns when it has stopped.
 *
 * @returns the exit code
 * @throws invalid_setting (also: the port is taken), home and store errors
 */
export const serve = async (call: Call, flags: ServeFlags): Promise<number> => {
  const settings = await serveSettings(call, flags);
  const log = createLog({ level: settings.logLevel });
  const session = await openSession(call, { part: 'all', settings, log, metrics: settings.metrics });
  const { app } = session;
  const share = createSharing(app);
  if (app.context.store.isShared) spareMemory();
  warnOfSecrets(session);
  const { host, port, corsOrigins, trustAddressHeader, requireKeys, ratePerMinute } = settings;
  const daemon = await unlockAuthority(session)
    .then(async () =>
      startDaemon({
        app,
        host,
        port,
        corsOrigins,
        publicOrigin: settings.pageUrl,
        requireKeys,
        log,
        ...pageOf(settings),
        ...(app.servedPage === undefined ? {} : { servedPage: app.servedPage }),
        workers: [
          ...(await workersOf(app, share)),
          ...(flags.keeper === true
            ? [(await import('./keeper.js')).keeperWorker(session, share.leases)]
            : []),
        ],
        // What is not set is the daemon's to decide: it knows whether it is bound to loopback.
        ...(trustAddressHeader ? { trustAddressHeader } : {}),
        ...(ratePerMinute === null ? {} : { ratePerMinute }),
      }),
    )
    .catch(async (error: unknown) => {
      await app.close();
      throw error;
    });
  const leave = guardProcess(process, log);
  call.output.talk(`Serving ${settings.network} at ${daemon.url}`);
  if (isPageServed(settings)) call.output.talk(`Its page: ${settings.pageUrl ?? daemon.url}${PAGE_ROOT}`);
  await daemon.stopped.finally(leave);
  return EXIT.done;
};
