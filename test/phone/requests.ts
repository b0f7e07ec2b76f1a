/** Transactions for the phone to sign in its own tests: a payment, and a coin of a contract with both kinds of holes. */
import { binToHex, encodeLockingBytecodeP2sh32, hash256, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../src/bch/address.js';
import { buildPayment } from '../../src/bch/payment.js';
import type { SigningRequest } from '../../src/bch/signing-request.js';

/** OP_DROP OP_CHECKSIG: an argument that nobody looks at, a key and a signature. */
const REDEEM_SCRIPT = '75ac';
const HOLES = `41${'00'.repeat(65)}21${'00'.repeat(33)}51`;

export const paymentOf = (payerAddress: string, recipientAddress: string): SigningRequest => {
  const payer = parseAddress(payerAddress, 'local');
  const recipient = parseAddress(recipientAddress, 'local');
  const coin = {
    txid: '11'.repeat(32),
    vout: 0,
    satoshis: 100_000n,
    lockingBytecode: payer.lockingBytecode,
    height: 1,
  };
  const { transaction, sourceOutputs } = buildPayment({
    payer,
    coins: [coin],
    outputs: [{ lockingBytecode: recipient.lockingBytecode, satoshis: 25_000n }],
  });
  return { transaction, sourceOutputs, broadcast: false, userPrompt: 'Pay 25000 satoshis' };
};

/** The same payment, with a contract's coin spent beside it. */
export const contractSpendOf = (payerAddress: string, recipientAddress: string): SigningRequest => {
  const payment = paymentOf(payerAddress, recipientAddress);
  const redeemScript = hexToBin(REDEEM_SCRIPT);
  const input = {
    outpointTransactionHash: hexToBin('22'.repeat(32)),
    outpointIndex: 1,
    sequenceNumber: 0xffffffff,
    unlockingBytecode: hexToBin(`${HOLES}02${REDEEM_SCRIPT}`),
  };
  const abiFunction = { name: 'spend', inputs: [] };
  const source = {
    ...input,
    lockingBytecode: encodeLockingBytecodeP2sh32(hash256(redeemScript)),
    valueSatoshis: 5_000n,
    contract: {
      abiFunction,
      redeemScript,
      artifact: {
        contractName: 'Holes',
        constructorInputs: [],
        abi: [abiFunction],
        bytecode: binToHex(redeemScript),
        source: '',
        compiler: { name: 'none', version: '0', options: {} },
        updatedAt: '',
      },
    },
  };
  return {
    ...payment,
    transaction: { ...payment.transaction, inputs: [...payment.transaction.inputs, input] },
    sourceOutputs: [...payment.sourceOutputs, source],
  };
};
