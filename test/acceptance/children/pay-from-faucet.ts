/**
 * A fund command for an embedded chain that is served as regtest: `<address> <satoshis>`. Its faucet knows addresses by
 * the prefix of its own network.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { addressOf, parseAddress } from '../../../src/bch/address.js';
import { BCH_DECIMALS, formatUnits } from '../../../src/bch/amount.js';

const [address = '', satoshis = ''] = process.argv.slice(2);
const payee = addressOf(parseAddress(address, 'regtest').lockingBytecode, 'local')?.text ?? '';
const words = ['chain', 'faucet', payee, formatUnits(BigInt(satoshis), BCH_DECIMALS)];
const { status } = spawnSync(process.execPath, [resolve('bin/treasury.js'), ...words], { stdio: 'inherit' });
process.exitCode = status ?? 1;
