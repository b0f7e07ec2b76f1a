/** The keys: the authority, the wallets, and records that only another authority can sign for. */
import { isTreasuryError, type ErrorCode } from '../../errors.js';
import type { CovenantRecord } from '../../record/deployable.js';
import { eachRecord } from '../../record/known-record.js';
import type { WalletInfo } from '../../operation/ports/keys.js';
import {
  countText,
  listText,
  ok,
  problem,
  problemOf,
  warning,
  type Check,
  type Subject,
  type Finding,
} from './check.js';

const isCode = (error: unknown, ...codes: readonly ErrorCode[]): boolean =>
  isTreasuryError(error) && codes.includes(error.code);

/** Whether the newest authority signs without anybody being asked. */
const unlockFinding = async (authority: WalletInfo, { context, surroundings }: Subject): Promise<Finding> => {
  const { name, address, encrypted } = authority;
  const intro = `the authority key is that of the wallet ${name}, ${address.text}`;
  const backup = `\`treasury wallet export ${name}\` backs it up`;
  const file = surroundings.passphraseFile?.path ?? null;
  try {
    await context.keys.unlock(name);
    const how = encrypted ? `opens with the passphrase of ${file ?? 'standard input'}` : 'has no passphrase';
    return ok(`${intro}; it ${how}; ${backup}`);
  } catch (error) {
    if (isCode(error, 'wallet_locked')) {
      return warning(
        `${intro}; commands ask for its passphrase, and the daemon cannot sign with it; ${backup}`,
        'for the daemon, set TREASURY_PASSPHRASE_FILE to a file that holds the passphrase',
      );
    }
    if (isCode(error, 'wrong_passphrase')) {
      return problem(
        `${intro}; ${file ?? 'standard input'} does not hold its passphrase`,
        'put the right passphrase there, or unset TREASURY_PASSPHRASE_FILE to be asked for it',
      );
    }
    if (isCode(error, 'invalid_file')) {
      return problem(
        `${intro}; the file of its passphrase cannot be read: ${surroundings.passphraseFile?.failure ?? ''}`,
        `make ${file ?? 'it'} readable, or unset TREASURY_PASSPHRASE_FILE to be asked for it`,
      );
    }
    return problemOf(error);
  }
};

const authorityFinding = async (wallets: readonly WalletInfo[], subject: Subject): Promise<Finding> => {
  const newest = wallets.findLast(({ isAuthority }) => isAuthority);
  return newest === undefined
    ? problem('there is no authority key', 'run `treasury init`')
    : unlockFinding(newest, subject);
};

const walletsFinding = (wallets: readonly WalletInfo[]): Finding => {
  const own = wallets.filter(({ isAuthority }) => !isAuthority);
  if (own.length === 0) return warning('there is no wallet', 'run `treasury wallet create main`');
  const names = own.map(({ name, isDefault }) => (isDefault ? `${name} (default)` : name));
  return ok(`${countText(own.length, 'wallet')}: ${listText(names)}`);
};

/** The key that co-signs a record; null for one that no authority signs. */
const authorityOf = (record: CovenantRecord): string | null => {
  const { authority_pubkey: key } = record as { readonly authority_pubkey?: unknown };
  return typeof key === 'string' ? key : null;
};

/** Open records whose authority this keystore does not hold. */
const pinFinding = async (
  wallets: readonly WalletInfo[],
  { context, surroundings, scope }: Subject,
): Promise<Finding> => {
  const held = wallets.filter(({ isAuthority }) => isAuthority).map(({ publicKey }) => publicKey);
  const pinned = (await eachRecord(scope.deployables, context.store)).filter(
    ({ deployable, record }) => authorityOf(record) !== null && deployable.isLive(record, context),
  );
  const orphans = pinned.filter(({ record }) => !held.includes(authorityOf(record) ?? ''));
  if (orphans.length === 0)
    return ok(`the authority keys of ${countText(pinned.length, 'open record')} are here`);
  const labels = orphans.map(({ deployable, record }) => deployable.label(record));
  return problem(
    `the authority key of ${listText(labels)} is not here: no pause, cancellation or distribution of theirs ` +
      'can be signed (claims can)',
    `restore the keystore.json that holds it in ${surroundings.home.folder}, from a backup`,
  );
};

export const keys: Check = {
  name: 'keys',
  needs: ['folder'],
  look: async (subject) => {
    const wallets = await subject.context.keys.list();
    return [await authorityFinding(wallets, subject), walletsFinding(wallets)];
  },
};

export const pins: Check = {
  name: 'keys',
  needs: ['folder', 'store'],
  look: async (subject) => [await pinFinding(await subject.context.keys.list(), subject)],
};
