/** The formats of bookkeeping programs, and what writes each. */
import { openPage, writeBeancount, writeHledger, type BookPage } from './books.js';
import { writeBip329, writeKoinly } from './wallet-books.js';

/** The formats, and what writes each. */
export const BOOK_FORMATS = {
  hledger: (page: BookPage) => writeHledger(openPage(page)),
  beancount: (page: BookPage) => writeBeancount(openPage(page)),
  koinly: writeKoinly,
  bip329: writeBip329,
} as const;
