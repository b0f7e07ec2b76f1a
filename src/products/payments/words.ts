/** A recurring payment's contract in words: that of RECURRING streams too. */
export { words } from '../../covenant/recurring/words.js';
