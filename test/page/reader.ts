/** Somebody in front of the page: what they press, and the phone in their hand. Buttons go by the words that stand on them. */
import type { Locator, Page } from 'playwright-core';
import { en } from '../../src/page/words/en.js';
import type { Protocol } from '../../src/page/wallet/port.js';
import type { Phone } from '../phone/phone.js';

type Word = keyof typeof en;

/** A text of the page; what is filled in may be anything. */
export const word = (key: Word, fills: Readonly<Record<string, string>> = {}): RegExp => {
  const text: string | Readonly<Record<string, string>> = en[key];
  const plain = typeof text === 'string' ? text : (text['other'] ?? '');
  const escaped = plain.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, (_, name: string) => fills[name] ?? '.*')}$`);
};

export const button = (within: Page | Locator, key: Word): Locator =>
  within.getByRole('button', { name: word(key) });

/** The dialog that is open. */
export const dialogOf = (page: Page): Locator => page.getByRole('dialog');

/** Reads for an address that is typed. */
export const readAs = async (page: Page, address: string): Promise<void> => {
  await button(page, 'who.nobody').click();
  await dialogOf(page).getByLabel(word('who.address')).fill(address);
  await button(dialogOf(page), 'who.show').click();
  await dialogOf(page).waitFor({ state: 'detached' });
};

/** What a phone's camera sees of a code, or the link beside it. */
const codeOf = async (page: Page): Promise<string> => {
  const link = dialogOf(page).getByRole('link', { name: word('phone.open') });
  return (await link.getAttribute('href', { timeout: 20_000 })) ?? '';
};

/** Has the phone scan the code of a dialog in which a wallet is to be connected. */
export const scan = async (page: Page, phone: Phone, protocol: Protocol = 'walletconnect'): Promise<void> => {
  const name = protocol === 'walletconnect' ? 'WalletConnect' : 'WizardConnect';
  await dialogOf(page).getByRole('button', { name }).click();
  await phone.do('scan', await codeOf(page));
};

/** Connects a phone by the button at the top. */
export const connect = async (page: Page, phone: Phone, protocol?: Protocol): Promise<void> => {
  await button(page, 'who.nobody').click();
  await scan(page, phone, protocol);
  await dialogOf(page).waitFor({ state: 'detached', timeout: 30_000 });
};

/** Opens a step by its button, and asks the phone for the signature once it is shown. */
export const ask = async (page: Page, step: RegExp): Promise<void> => {
  await page.getByRole('button', { name: step }).first().click();
  await button(dialogOf(page), 'sign.ask').click({ timeout: 30_000 });
};

/** Waits until a step is done, and closes its dialog. */
export const done = async (page: Page): Promise<void> => {
  const dialog = dialogOf(page);
  await dialog.getByText(word('sign.done')).last().waitFor({ timeout: 60_000 });
  // The one below, where reading ends; another stands at the top.
  await button(dialog, 'dialog.close').last().click();
  await dialog.waitFor({ state: 'detached' });
};
