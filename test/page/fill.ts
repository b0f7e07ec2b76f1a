/** A home with something of everything, made by the commands that a person would type. */
import type { PageName } from '../../src/page-paths.js';
import type { World } from '../phone/terminal.js';

/** Who is paid, signs and votes beside the wallets of the home: somebody with a phone. */
export type Guest = { readonly address: string; readonly publicKey: string };

/** Runs commands one after the other. @throws Error for one that fails */
const runAll = async ({ treasury }: Pick<World, 'treasury'>, lines: readonly (readonly string[])[]) => {
  for (const words of lines) {
    const { exit, stdout, stderr } = await treasury(...words);
    if (exit !== 0) throw new Error(`treasury ${words.join(' ')} ended with ${exit}: ${stdout}${stderr}`);
  }
};

const words = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

/** The public key of a wallet of the home. */
const keyOf = async ({ treasury }: Pick<World, 'treasury'>, name: string): Promise<string> => {
  const { json } = await treasury('wallet', 'show', name, '--json');
  return String((json()['wallet'] as Readonly<Record<string, unknown>>)['publicKey']);
};

/** `VAULT-0001`, of which ann, ben and the guest are signers, with 1 BCH in it. */
export const fillVault = async (world: Pick<World, 'treasury'>, guest: Guest): Promise<void> => {
  await runAll(world, [words('wallet create ann'), words('wallet create ben')]);
  const keys = [await keyOf(world, 'ann'), await keyOf(world, 'ben'), guest.publicKey];
  await runAll(world, [
    [
      ...words('vaults create --name "Common funds" --total-deposit 1 --is-public'),
      ...['ann', 'ben', guest.address].flatMap((signer) => ['--signers', signer]),
      ...keys.flatMap((key) => ['--signer-pubkeys', key]),
    ],
    words('vaults deposit VAULT-0001 --yes'),
  ]);
};

/** `SPEND-0001` of the vault, which ann has signed. */
export const fillSpend = (world: Pick<World, 'treasury'>): Promise<void> =>
  runAll(world, [
    words(
      'vaults spend create VAULT-0001 --to ben --amount "0.4 BCH" --memo "Rent of the workshop, June" --wallet ann',
    ),
    words('vaults spend sign SPEND-0001 --wallet ann --confirm SPEND-0001'),
  ]);

/** `STREAM-0001` to the guest, half a year old, with two claims of others before if `claimed`. */
export const fillStream = (
  world: Pick<World, 'treasury'>,
  { address }: Pick<Guest, 'address'>,
): Promise<void> =>
  runAll(world, [
    [...words('streams create --total-amount 1 --schedule-template linear-open --recipient'), address],
    words('streams fund STREAM-0001 --yes'),
    words('chain advance 120d'),
  ]);

/** A token `VOICE`, 100 of which the guest has, and `VOTE-0001`, open for a week. Needs a vault. */
export const fillVote = (
  world: Pick<World, 'treasury'>,
  { address }: Pick<Guest, 'address'>,
): Promise<void> =>
  runAll(world, [
    words('tokens create --supply 1000 --decimals 0 --symbol VOICE --yes'),
    [...words('wallet send --amount "100 VOICE" --yes --to'), address],
    words(
      'governance propose VAULT-0001 --title "Hire a gardener" --description "For the summer, three days a week." --quorum "50 VOICE" --voting-duration-days 7',
    ),
  ]);

/** What the guest pays fees with. */
export const giveCoins = (
  { treasury }: Pick<World, 'treasury'>,
  { address }: Pick<Guest, 'address'>,
): Promise<void> =>
  runAll({ treasury }, [
    [...words('chain faucet'), address, '0.5'],
    [...words('chain faucet'), address, '0.5'],
  ]);

/** All of it, and payments, budgets, campaigns and claims beside. */
export const fillHome = async (world: Pick<World, 'treasury'>, guest: Guest): Promise<void> => {
  await giveCoins(world, guest);
  await fillVault(world, guest);
  await fillStream(world, guest);
  await runAll(world, [
    [
      ...words('streams create --total-amount 0.5 --schedule-template linear-cliff --recipient'),
      guest.address,
    ],
    words('streams create --total-amount 0.6 --schedule-template linear-open --recipient ann'),
    words('streams fund STREAM-0003 --yes'),
    [...words('payments create --amount-per-period 0.05 --interval MONTHLY --recipient'), guest.address],
    words('payments fund PAY-0001 --yes'),
    words('chain advance 31d'),
    words('streams claim STREAM-0003 --amount 0.02 --wallet ann --yes'),
    words('streams pause STREAM-0003 --yes'),
    words('chain advance 20d'),
    words('streams resume STREAM-0003 --yes'),
    words('chain advance 20d'),
    words('streams claim STREAM-0003 --wallet ann --yes'),
    [
      ...words('budgets create VAULT-0001 --recipient'),
      guest.address,
      '--milestones',
      JSON.stringify([
        { amount: '0.1', durationSeconds: 86_400, description: 'Design' },
        { amount: '0.3', durationSeconds: 604_800, description: 'Build' },
      ]),
    ],
    words('budgets fund BUDGET-0001 --yes'),
    words('chain advance 25h'),
    words('rewards create --title "Bug bounties" --total-pool 0.03 --max-reward-amount 0.01'),
    words('rewards fund REWARD-0001 --yes'),
    [...words('rewards distribute REWARD-0001 --amount 0.005 --yes --recipient-address'), guest.address],
  ]);
  await fillSpend(world);
  await fillVote(world, guest);
  await runAll(world, [words('governance lock VOTE-0001 --vote-choice FOR --stake-amount "40 VOICE" --yes')]);
};

/** Every page, and what it shows of {@link fillHome}. */
export const pagesOf = async ({
  treasury,
}: Pick<World, 'treasury'>): Promise<Readonly<Record<PageName, Readonly<Record<string, string>>>>> => {
  const { json } = await treasury('streams', 'show', 'STREAM-0001', '--json');
  const { contract_address: address } = json()['stream'] as Readonly<Record<string, string>>;
  return {
    home: {},
    stream: { id: 'STREAM-0003' },
    payment: { id: 'PAY-0001' },
    budget: { id: 'BUDGET-0001' },
    campaign: { id: 'REWARD-0001' },
    vault: { id: 'VAULT-0001' },
    spend: { id: 'VAULT-0001', spendId: 'SPEND-0001' },
    vote: { id: 'VOTE-0001' },
    audit: {},
    auditOf: { address: address ?? '' },
    overview: {},
  };
};
