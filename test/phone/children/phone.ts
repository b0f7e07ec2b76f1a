/** The phone: a process of its own, told over IPC what to do and telling what is seen on its screen. */
import type { PhoneEvent, PhoneOptions } from '../behaviour.js';
import { addressOf, foreignKey, toHexKey } from '../key.js';
import type { OrderMessage, Orders, PhoneMessage } from '../orders.js';
import { Account, Plans } from '../prompts.js';
import { WalletConnect } from '../walletconnect.js';
import { WizardConnect } from '../wizardconnect.js';

const send = (message: PhoneMessage): void => {
  if (process.connected) process.send?.(message);
};
const tell = (event: PhoneEvent): void => {
  send({ event });
};

type Handlers = {
  readonly [Name in keyof Orders]: (
    ...args: Parameters<Orders[Name]>
  ) => ReturnType<Orders[Name]> | Promise<ReturnType<Orders[Name]>>;
};

const handlersOf = (options: PhoneOptions): Handlers => {
  const account = new Account(options.seed, options.chain);
  const plans = new Plans();
  const wallet = new WalletConnect(options, account, plans, tell);
  const wizard = new WizardConnect(options, account, plans, tell);
  /** Which of the two it has met somebody with. */
  let isWizard = false;
  return {
    scan: (uri) => {
      isWizard = /^wiz:/i.test(uri);
      return isWizard ? wizard.pair(uri) : wallet.pair(uri);
    },
    meet: (...meetings) => {
      wallet.meet(meetings);
      wizard.meet(meetings);
    },
    plan: (...behaviours) => {
      plans.add(behaviours);
    },
    tap: (behaviour) => (isWizard ? wizard.tap(behaviour) : wallet.tap(behaviour)),
    leave: () => {
      wallet.goOffline();
      wizard.goOffline();
    },
    come: () => (isWizard ? wizard.comeBack() : wallet.comeBack()),
    switchAccount: (index, say) => wallet.switchAccount(index, say),
    endSession: (code, message) => (isWizard ? wizard.endSession(message) : wallet.endSession(code, message)),
    request: (method, params, more) => wallet.request(method, params as Record<string, unknown>, more),
    ask: (method, params, milliseconds) =>
      wallet.ask(method, params as Record<string, unknown>, milliseconds),
    sendRaw: (message, tag) => wallet.sendRaw(message, tag),
    sendSealed: (body, tag = 1108) => wallet.sendSealed(body, tag),
    say: (body, manner) => wizard.say(body as Record<string, unknown>, manner),
    account: () => ({
      address: account.address,
      publicKey: toHexKey(account.key),
      foreignAddress: addressOf(foreignKey.lockingBytecode, options.chain) ?? '',
    }),
  };
};

let handlers: Handlers | undefined;

const obey = async (message: OrderMessage): Promise<void> => {
  if ('options' in message) {
    handlers = handlersOf(message.options);
    return;
  }
  const { id, order, args } = message;
  try {
    const act = handlers?.[order] as ((...given: readonly unknown[]) => unknown) | undefined;
    send({ id, result: await act?.(...args) });
  } catch (error) {
    send({ id, error: error instanceof Error ? error.message : String(error) });
  }
};

process.on('message', (message) => void obey(message as OrderMessage));
process.on('disconnect', () => {
  process.exit();
});
