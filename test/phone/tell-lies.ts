/** A payment out of the wallet on a phone, and a phone that lies about it. */
import type { ExecutionContext } from 'ava';
import { HARMLESS, LIES } from './lies.js';
import type { World } from './terminal.js';

export const SEND = [
  ...['wallet', 'send', '--to', 'main', '--amount', '0.1', '--wallet', 'phone'],
  ...['--yes', '--json'],
];

/** All that must not pass. */
export const HARMFUL = LIES.filter((one) => !HARMLESS.some((harmless) => harmless === one));

/** Lies that show whose key it is. */
const SIGNED_BY_OTHERS: readonly string[] = ['foreignKey', 'otherPublicKey'];

/** What the phone's wallet holds, satoshis. */
export const balance = async ({ treasury }: World): Promise<unknown> => {
  const { wallets } = (await treasury('wallet', 'list', '--json')).json() as {
    readonly wallets: readonly Record<string, unknown>[];
  };
  return wallets.find(({ name }) => name === 'phone')?.['balanceOnChain'];
};

/** Each lie, signed as bent and bent afterwards: none passes, and each is said. The phone's wallet holds 1 BCH. */
export const tellLies = async (
  t: ExecutionContext,
  world: World,
  lies: readonly (typeof LIES)[number][],
): Promise<void> => {
  const said: string[] = [];
  for (const lie of lies) {
    for (const after of [false, true]) {
      await world.phone.do('plan', { do: 'accept', lie, after });
      const refused = await world.treasury(...SEND);
      const { code, reason } = refused.json();
      // A lie that cannot be told of this transaction is answered with an error.
      const isTold = code !== 'wallet_failed';
      const expected = SIGNED_BY_OTHERS.includes(lie) ? 'wallet_account_mismatch' : 'wallet_answer_differs';
      if (isTold) t.is(code, expected, `${lie} ${after}: ${refused.stdout}`);
      said.push(`${lie}${after ? ', after' : ''}: ${isTold ? String(reason) : '(cannot be told)'}`);
    }
  }
  t.log(said.join('\n'));
  t.is(await balance(world), '100000000');
};
