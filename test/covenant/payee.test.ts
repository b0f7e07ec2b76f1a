import test from 'ava';
import { alice } from '../../fixtures/people.js';
import { addressOf, parseAddress, type Address } from '../../src/bch/address.js';
import { checkPayee, type Payer } from '../../src/covenant/payee.js';
import { reserveContract } from '../../src/covenant/reserve.js';
import { TreasuryError } from '../../src/errors.js';

const category = `${'aa'.repeat(31)}01`;
const contractLock = `aa20${'11'.repeat(32)}87`;

const addressAt = (lock: string): Address => {
  const address = addressOf(lock, 'local');
  if (address === null) throw new Error(`${lock} has no address`);
  return address;
};

const contract = addressAt(contractLock);
const reserve = reserveContract(category, contractLock, 'local').address;
const funded: Payer = {
  contract_address: contract.text,
  thread: { category, txid: 'bb'.repeat(32), vout: 0, commitment: '' },
};

for (const [name, payee, reason] of [
  ['the contract', contract, 'it is the contract itself'],
  ['the contract in its token form', parseAddress(contract.tokenText), 'it is the contract itself'],
  ['its reserve', reserve, 'it is the reserve of the contract'],
  ['its reserve in its token form', parseAddress(reserve.tokenText), 'it is the reserve of the contract'],
] as const) {
  test(`payee › given ${name} › it is not_payable, with field, value and reason`, (t) => {
    const error = t.throws(
      () => {
        checkPayee(payee, 'toAddress', funded, 'local');
      },
      { instanceOf: TreasuryError },
    );
    t.is(error.code, 'not_payable');
    t.like(error.details, { field: 'toAddress', value: payee.text, reason });
  });
}

for (const [name, payee] of [
  ['a person', alice.address('local')],
  ['another contract', addressAt(`aa20${'12'.repeat(32)}87`)],
  ["another thread's reserve", reserveContract('cc'.repeat(32), contractLock, 'local').address],
] as const) {
  test(`payee › given ${name} › it may be paid`, (t) => {
    t.notThrows(() => {
      checkPayee(payee, 'toAddress', funded, 'local');
    });
  });
}
