/** Whether a key is good now: known, not expired, not revoked. */
import { showDate } from '../../bch/show-date.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../context.js';
import type { StoreReader } from '../ports/store.js';
import { hashOfKey, isKeyText, keyInWords, scriptKeyCollection, type ScriptKeyRecord } from './script-key.js';

/** @throws key_revoked, key_expired */
const checkLive = (key: ScriptKeyRecord, wallNow: number): void => {
  const keyName = keyInWords(key);
  if (key.revoked_at !== null)
    throw new TreasuryError('key_revoked', { keyName, revokedAt: showDate(key.revoked_at) });
  if (wallNow >= key.expires_at)
    throw new TreasuryError('key_expired', { keyName, expiredAt: showDate(key.expires_at) });
};

/** Asks the store once more: a key may have been revoked while it was in use. @throws key_revoked, key_expired */
export const requireLive = async (
  key: ScriptKeyRecord,
  store: StoreReader,
  wallNow: number,
): Promise<void> => {
  const known = await store.get(scriptKeyCollection, key.id);
  if (known === null) throw new TreasuryError('invalid_key', { reason: 'it is not known here any more' });
  checkLive(known, wallNow);
};

/**
 * The key of a text.
 *
 * @throws invalid_key, key_revoked, key_expired
 */
export const findKey = async (
  text: string,
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<ScriptKeyRecord> => {
  if (!isKeyText(text))
    throw new TreasuryError('invalid_key', { reason: 'a key is tk_ and 22 letters and digits' });
  await store.refresh();
  const { items } = await store.find(scriptKeyCollection, {
    where: { hash: hashOfKey(text) },
    limit: 1,
    isCounted: false,
  });
  const [key] = items;
  if (key === undefined) throw new TreasuryError('invalid_key', { reason: 'it is not known here' });
  checkLive(key, clock.wall());
  return key;
};
