/** The home that is served while it is measured: thousands of streams, the newest of them funded on the embedded chain. */
import { join } from 'node:path';
import { binToHex } from '@bitauth/libauth';
import { people, type Person } from '../../fixtures/people.js';
import { openApp, type App } from '../../src/app.js';
import { encodeWif, signerOf } from '../../src/bch/keys.js';
import { signWalletTransaction, type WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { execute, type Reply } from '../../src/operation/execute.js';
import { passLabels } from '../../src/record/labels.js';
import { fillHome } from '../scale.js';

const { alice, bob, carol, dave, authority } = people;
const NETWORK = 'local';
const DAY = 86_400;
/** Streams with money in them: of every shape, half way through. */
const FUNDED = 40;
const SHAPES = [
  'linear-cliff',
  'step-monthly',
  'hybrid-upfront-linear',
  'tranche-backweighted',
  'recurring-monthly',
];

export type BenchHome = {
  readonly home: string;
  /** The id of a stream that a claim was taken from, and the address of its recipient. */
  readonly stream: string;
  readonly recipient: string;
  /** Names of records, as a stranger may know them. */
  readonly names: readonly string[];
};

const textOf = (who: Person): string => who.address(NETWORK).text;

/** Asks the app as somebody, and sends what is theirs to sign. */
const asking = ({ context, operations }: App) => {
  const ask = (who: Person, id: string, input: Record<string, unknown>): Promise<Reply> => {
    const operation = operations.find((candidate) => candidate.id === id);
    if (operation === undefined) throw new Error(`there is no operation ${id}`);
    return execute(operation, input, context, { kind: 'operator', address: who.address(NETWORK) });
  };
  const send = (who: Person, { wcTransaction }: Reply): Promise<string> => {
    const signer = signerOf(who.name, who.privateKey, NETWORK);
    return context.chain.broadcast(
      signWalletTransaction(wcTransaction as WalletTransaction, signer).transaction,
    );
  };
  return { ask, send };
};

/** Makes the home in an empty folder. */
export const makeBenchHome = async (home: string, streams: number): Promise<BenchHome> => {
  await fillHome(join(home, NETWORK), streams - FUNDED);
  const app = await openApp({ home, network: NETWORK });
  const { keys, localChain, store } = app.context;
  const lastLabel = `#STREAM-${String(streams).padStart(4, '0')}`;
  await store.transaction((writer) => passLabels(writer, [lastLabel], new Set(['STREAM'])));
  const { ask, send } = asking(app);
  await keys.import({
    name: 'authority',
    passphrase: null,
    isAuthority: true,
    wif: encodeWif(authority.privateKey, NETWORK),
  });
  for (const who of [alice, alice, bob])
    await localChain?.faucet(who.address(NETWORK).lockingBytecode, 1_000_000_000n);
  const signers = [alice, carol, dave];
  const { id: vaultId } = await ask(alice, 'vaults.create', {
    name: 'Team',
    signers: signers.map(textOf),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: '0.1',
    isPublic: true,
  });
  const recipient = textOf(bob);
  const entries = Array.from({ length: FUNDED }, (_, index) => ({
    recipient,
    totalAmount: '0.12',
    scheduleTemplate: SHAPES[index % SHAPES.length],
  }));
  const built = await ask(alice, 'streams.batch-create', { vaultId, senderAddress: textOf(alice), entries });
  const { batchId } = built;
  await ask(alice, 'streams.confirm-batch', { vaultId, batchId, txHash: await send(alice, built) });
  await localChain?.advance(120 * DAY);
  const { id: stream, stream_id: label } = (built['streams'] as Record<string, string>[])[2] ?? {};
  if (stream === undefined || label === undefined) throw new Error('the batch has streams');
  const claimed = await ask(bob, 'streams.claim', { id: stream });
  await ask(bob, 'streams.confirm-claim', { id: stream, txHash: await send(bob, claimed) });
  await localChain?.advance(DAY);
  await app.close();
  return { home, stream, recipient, names: [String(vaultId), String(batchId), stream, label, recipient] };
};
