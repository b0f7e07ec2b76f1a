/** What each record was given and has paid, and what each vault has. */
import { changeOf, covenantsIn, DUST, isMoney, spendIn, type Books, type Covenant } from './books.js';
import { fundedBy, owedBy } from './entitlement.js';
import { PAYOUT_DUST, THREAD_DUST } from '../../src/bch/transaction.js';
import { BCH, type Entry } from './ledger.js';

const isBuild = (entry: Entry, { builds }: Books, verb: string): boolean =>
  builds.get(entry.txid)?.endsWith(`.${verb}`) ?? false;

/** A funding begins the thread of a record. What comes to a thread that is there is a refill. */
const isFunding = ({ outputs, minted }: Entry, covenant: Covenant): boolean =>
  outputs.some(({ purse, asset }) => purse === covenant && asset !== null && minted.has(asset));

/** What a record was given and has paid, over its life. */
export const checkRecord = (covenant: Covenant, books: Books): void => {
  const { record } = covenant;
  const { world, ledger, nameOf } = books;
  if (record === null || record.noun === 'vaults') return;
  const asset = record.asset ?? BCH;
  const heirs = new Set([...record.heirs].map(nameOf));
  let isMixed = heirs.has(record.creator.name);
  let [put, refilled, paid, times] = [0n, 0n, 0n, 0n];
  let wasPaused = false;
  for (const entry of ledger.entries) {
    const change = changeOf(entry, covenant, asset);
    const isIn = covenantsIn(entry).includes(covenant);
    if (!isIn) continue;
    const given = [...entry.changes].some(
      ([purse, own]) => purse.name === record.creator.name && (own.get(asset) ?? 0n) < 0n,
    );
    if (isMoney(asset, change)) {
      // What came from others pays by the record's rules too, and beside it.
      if (!given) isMixed = true;
      else if (isFunding(entry, covenant)) put += change;
      else refilled += change;
    }
    wasPaused ||= isBuild(entry, books, 'pause');
    if (change >= 0n) continue;
    times += 1n;
    const before = paid;
    for (const [purse, own] of entry.changes) if (heirs.has(purse.name)) paid += own.get(asset) ?? 0n;
    const owed = isMixed ? null : owedBy(record, entry.transaction.locktime);
    if (owed === null || isBuild(entry, books, 'recover')) continue;
    const [least, most] = owed;
    // Less BCH than an output may have is topped up when the thread ends.
    const isLast = asset === BCH && entry.outputs.every(({ purse }) => purse !== covenant);
    const isToppedUp = isLast && most > before && paid - before <= PAYOUT_DUST;
    // The last push leaves the thread's own satoshis to whom it pays.
    const isPushed = isLast && paid - most <= THREAD_DUST;
    if (paid > most && !isToppedUp && !isPushed)
      world.find('sums', `${record.tag} has paid ${paid} of ${most} with ${entry.txid}`);
    const slack = asset === BCH ? times * DUST : 0n;
    const isEnd = isBuild(entry, books, 'cancel');
    const owing = least < put + refilled ? least : put + refilled;
    if (isEnd) world.count('checked: what a cancelled record had paid');
    if (isEnd && !wasPaused && paid + slack < owing)
      world.find('sums', `${record.tag} ends with ${entry.txid} and has paid ${paid} of ${owing}`);
  }
  world.count('checked: what a record was given and has paid');
  const asked = fundedBy(record);
  const most = asset === BCH ? asked + DUST : asked;
  if (put > most || (put > 0n && put < asked))
    world.find('sums', `${record.creator.name} has put ${put} into ${record.tag}, which is of ${asked}`);
};

/** Each spend of a vault is made once at most, and nothing leaves a vault otherwise. */
export const checkVaults = (books: Books): void => {
  const { world, ledger } = books;
  const made = new Map<string, string>();
  for (const entry of ledger.entries)
    for (const vault of covenantsIn(entry)) {
      if (vault.record?.noun !== 'vaults') continue;
      const leaves = [...(entry.changes.get(vault) ?? [])].some(([, units]) => units < 0n);
      if (!leaves) continue;
      const spend = spendIn(entry, vault, books);
      if (spend === undefined)
        world.find('sums', `${entry.txid} spends from ${vault.name} what nobody proposed`);
      else if (made.has(spend.id)) world.find('once', `${spend.label} of ${vault.name} is made twice`);
      else {
        made.set(spend.id, entry.txid);
        world.count('on chain: vaults.spend');
      }
    }
};
