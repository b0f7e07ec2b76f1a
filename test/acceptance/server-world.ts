/**
 * A regtest chain behind somebody's Electrum server: named by the environment, steered by shell commands.
 *
 * It is shared by all tests and outlives them, so each test gets people whom the chain has never seen, and whatever was
 * asked for is waited for until the server shows it.
 */
import { exec } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { peopleOf } from '../../fixtures/people.js';
import { openElectrumChain } from '../../src/adapters/electrum/electrum-chain.js';
import type { Address } from '../../src/bch/address.js';
import { sumSatoshis } from '../../src/bch/coins.js';
import { signerOf } from '../../src/bch/keys.js';
import { buildPayment } from '../../src/bch/payment.js';
import { encodeWalletTransaction, signWalletTransaction } from '../../src/bch/wallet-transaction.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { throughServers, type Ability, type ChainSteering, type ChainWorld } from '../chain-world.js';

const NETWORK = 'regtest';
/** How long a server may take to show what is there. */
const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 50;
/** What the purse is filled with at a time: ten block rewards of a young regtest chain are 500. */
const PURSE_SATOSHIS = 500_000_000n;
/** More than the fee of any payment out of it. */
const PURSE_FEE = 10_000n;
/** Blocks that bring median time past to where the clock is. Source: BIP113, and one for the clock's own second. */
const MOST_BLOCKS_TO_ADVANCE = 12;
/** What tests do not mind that median time past is behind. */
const MOST_LAG_SECONDS = 600;

const run = promisify(exec);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const systemSeconds = (): number => Math.floor(Date.now() / 1_000);
/** An account of the seed phrase that nobody has used. */
const freshAccount = (): number => randomInt(1, 2 ** 31);

/** Asks again and again. @throws Error when it does not hold in time */
const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`the server did not show ${what} in ${PATIENCE_MS} ms`);
    await wait(LOOK_AGAIN_MS);
  }
};

const seenOn =
  (chain: ChainPort) =>
  (txid: string): Promise<void> =>
    until(async () => (await chain.transaction(txid)) !== null, `the transaction ${txid}`);

const minerOf = (chain: ChainPort, command: string) => async (): Promise<void> => {
  const { height } = await chain.tip();
  await run(command);
  await until(async () => (await chain.tip()).height > height, 'the block that was mined');
};

/** Brings median time past to the chain's clock: a chain that is mined by hand may have stood still for days. */
const catchUp = async (chain: ChainPort, mineOne: () => Promise<void>): Promise<void> => {
  for (let mined = 0; mined < MOST_BLOCKS_TO_ADVANCE; mined += 1) {
    await mineOne();
    const { time, medianTimePast } = await chain.tip();
    if (time - medianTimePast <= MOST_LAG_SECONDS) return;
  }
};

/** A wallet of the tests' own: whom it pays gets output 0, wherever a node would put its change. */
const createPurse = (fundCommand: string) => {
  const purse = peopleOf(freshAccount()).alice;
  const address = purse.address(NETWORK);
  return async (chain: ChainPort, to: Address, satoshis: bigint): Promise<string> => {
    const needed = satoshis + PURSE_FEE;
    const held = async () => sumSatoshis(await chain.coins(address.lockingBytecode));
    if ((await held()) < needed) {
      const before = await held();
      await run(`${fundCommand} ${address.text} ${needed > PURSE_SATOSHIS ? needed : PURSE_SATOSHIS}`);
      await until(async () => (await held()) > before, 'what the fund command paid');
    }
    const payment = buildPayment({
      payer: address,
      coins: await chain.coins(address.lockingBytecode),
      outputs: [{ lockingBytecode: to.lockingBytecode, satoshis }],
    });
    const request = encodeWalletTransaction({
      transaction: payment.transaction,
      sourceOutputs: [...payment.sourceOutputs],
      broadcast: false,
    });
    const { transaction } = signWalletTransaction(request, signerOf('purse', purse.privateKey, NETWORK));
    const txid = await chain.broadcast(transaction);
    await seenOn(chain)(txid);
    return txid;
  };
};

type Commands = { readonly mine: string; readonly fund: string; readonly advance: string | undefined };

/** @throws Error when the tests cannot do without one that is not there */
const readCommands = (env: NodeJS.ProcessEnv): Commands => {
  const read = (name: string): string => {
    const command = env[name];
    if (command === undefined) throw new Error(`${name} is needed too: see CONTRIBUTING.md`);
    return command;
  };
  return {
    mine: read('TREASURY_MINE_COMMAND'),
    fund: read('TREASURY_FUND_COMMAND'),
    advance: env['TREASURY_ADVANCE_COMMAND'],
  };
};

/** The chain that the environment names, or null when it names none. @throws Error when a command is missing */
export const serverWorld = (env: NodeJS.ProcessEnv): ChainWorld | null => {
  const url = env['TREASURY_ELECTRUM'];
  if (url === undefined || env['TREASURY_NETWORK'] !== NETWORK) return null;
  const commands = readCommands(env);
  const payFromPurse = createPurse(commands.fund);
  const can: Ability[] = commands.advance === undefined ? [] : ['advance'];
  return {
    name: 'against a server',
    network: NETWORK,
    can,
    open: async (t) => {
      const chain = await openElectrumChain({ network: NETWORK, servers: [url], log: silent });
      t.teardown(chain.close);
      const mineOne = minerOf(chain, commands.mine);
      await catchUp(chain, mineOne);
      let ahead = Math.max(0, (await chain.tip()).time - systemSeconds());
      const advance: ChainSteering['advance'] = async (seconds) => {
        const { medianTimePast } = await chain.tip();
        await run(`${commands.advance ?? ''} ${seconds}`);
        ahead += seconds;
        const isThere = async () => (await chain.tip()).medianTimePast >= medianTimePast + seconds;
        for (let mined = 0; mined < MOST_BLOCKS_TO_ADVANCE && !(await isThere()); mined += 1) await mineOne();
        if (!(await isThere())) throw new Error(`time did not move on by ${seconds} seconds`);
      };
      return {
        outside: throughServers([url]),
        wall: () => systemSeconds() + ahead,
        people: peopleOf(freshAccount()),
        steer: () => ({
          pay: (to, satoshis) => payFromPurse(chain, to, satoshis),
          mine: async (blocks) => {
            for (let mined = 0; mined < blocks; mined += 1) await mineOne();
          },
          advance,
          reorg: () => Promise.reject(new Error('nobody says how its blocks are taken off')),
          seen: seenOn(chain),
        }),
      };
    },
  };
};
