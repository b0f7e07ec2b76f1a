/** What a keeper tells the event log, in the commit of what it tells of. Whose wallet it is about reads it. */
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import type { StoreWriter } from '../operation/ports/store.js';
import { tokenAsset } from '../record/assets.js';
import { tellEvent } from '../record/event-log.js';
import type { KeeperAct } from '../record/keeper.js';

type About = {
  /** Of the service's clock, unix seconds. */
  readonly time: number;
  /** What it is remembered under, which stands for the record of it. */
  readonly key: string;
  readonly label: string;
  /** Cash addresses. */
  readonly parties: readonly string[];
};

const amountsOf = (writer: StoreWriter, moved: KeeperAct['moved']) =>
  Promise.all(
    moved.map(async ({ category, units }) => {
      const decimals = category === null ? BCH_DECIMALS : (await tokenAsset(category, writer)).decimals;
      const amount = formatUnits(units, decimals);
      return { amount, amountOnChain: units.toString(), asset: category ?? 'BCH', decimals };
    }),
  );

const tell = async (
  writer: StoreWriter,
  type: 'keeper.acted' | 'keeper.failed' | 'keeper.recovered',
  { time, key, label, parties }: About,
  more: { readonly data: Readonly<Record<string, unknown>>; readonly txHash?: string },
): Promise<void> => {
  const subject = { kind: 'keeper', label, id: key };
  await tellEvent(writer, { type, time, subject, parties: [...parties], ...more });
};

/** Something was done: what, by which rule, what it moved and what it cost. */
export const tellActed = async (
  writer: StoreWriter,
  {
    act,
    time,
    parties,
    txHash,
  }: Pick<About, 'time' | 'parties'> & { readonly act: KeeperAct; readonly txHash: string },
): Promise<void> => {
  const { item: key, task, label, rule, wallet, fee, moved } = act;
  const data = {
    task,
    rule,
    wallet,
    fee: {
      amount: formatUnits(fee, BCH_DECIMALS),
      amountOnChain: fee.toString(),
      asset: 'BCH',
      decimals: BCH_DECIMALS,
    },
    moved: await amountsOf(writer, moved),
  };
  await tell(writer, 'keeper.acted', { time, key, label, parties }, { data, txHash });
};

/** Something could not be done: told when it begins. */
export const tellFailed = (
  writer: StoreWriter,
  about: About,
  data: { readonly task: string; readonly code: string; readonly error: string },
): Promise<void> => tell(writer, 'keeper.failed', about, { data });

/** What could not be done is over: it was done, or has ended. */
export const tellRecovered = (
  writer: StoreWriter,
  about: About,
  data: { readonly task: string; readonly code: string },
): Promise<void> => tell(writer, 'keeper.recovered', about, { data });
