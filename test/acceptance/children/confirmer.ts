/** Pays and confirms rewards one after the other, and says each confirmation once it was answered. Ended by force. */
import { alice, bob } from '../../../fixtures/people.js';
import { openApp } from '../../../src/app.js';
import { signerOf } from '../../../src/bch/keys.js';
import { signWalletTransaction, type WalletTransaction } from '../../../src/bch/wallet-transaction.js';
import { execute } from '../../../src/operation/execute.js';

const [home = '', id = '', start = '0'] = process.argv.slice(2);
const app = await openApp({ home, network: 'local', wall: () => Number(start) });
const credentials = { kind: 'operator', address: alice.address('local') } as const;
const ask = (operationId: string, input: Record<string, unknown>) => {
  const operation = app.operations.find((candidate) => candidate.id === operationId);
  if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
  return execute(operation, input, app.context, credentials);
};

for (;;) {
  const reward = { id, recipientAddress: bob.address('local').text, amount: '0.00001' };
  const built = await ask('rewards.distribute', reward);
  const signer = signerOf('alice', alice.privateKey, 'local');
  const { transaction } = signWalletTransaction(built['wcTransaction'] as WalletTransaction, signer);
  const txHash = await app.context.chain.broadcast(transaction);
  await ask('rewards.confirm-distribute', { ...reward, txHash });
  process.stdout.write(`${txHash}\n`);
}
