/** Vaults: two of three over everything, the thread goes on, and what joins joins its own vault. */
import { hexToBin } from '@bitauth/libauth';
import { bind, type Argument, type Bound } from '../../harness/bound.js';
import { called, DUST, fungible, nft, OTHER, owned, plain } from '../../harness/coins.js';
import { outsider, signers, type Party } from '../../harness/parties.js';
import {
  changeArgument,
  changeInput,
  changeOutput,
  IN_FORCE,
  signedArgument,
  type Input,
  type Output,
  type Spend,
} from '../../harness/spend.js';
import { vaultLayout } from '../../vault.cases.js';
import type { Random } from '../random.js';
import type { FaultBase } from './base.js';
import { fit, TOKEN_RULES, type Fault } from './fault.js';
import { CATEGORY } from './scene.js';

const [one, two, three] = signers;
const PAIRS = [
  [one, two],
  [one, three],
  [two, three],
] as const;

const argumentsOf = (first: Party, second: Party): Argument[] => [
  first.publicKey,
  { sign: first },
  second.publicKey,
  { sign: second },
];

type Vault = {
  readonly contract: Bound;
  readonly sibling: Bound;
  readonly pair: readonly [Party, Party];
  readonly spends: number;
};

const anyVault = (random: Random): Vault => {
  const id = Uint8Array.from({ length: 32 }, () => random.integer(256));
  const keys = [one.publicKey, two.publicKey, three.publicKey];
  return {
    contract: bind('vault', [id, ...keys]),
    sibling: bind('vault', [id.map((byte) => byte ^ 1), ...keys]),
    pair: random.pick(PAIRS),
    spends: random.integer(random.pick([2, 256, 2 ** 31 - 2])),
  };
};

const stateAt = (spends: number): string => vaultLayout.encode({ version: 1, spends });

const joined = (name: string, coin: Output, contract: Bound): Input => called(name, coin, contract, 'join');

const spendOf = ({ contract, pair, spends }: Vault, hasThread: boolean, random: Random): Spend => {
  const { lock } = contract;
  const coin = hasThread ? nft(lock, stateAt(spends), DUST, CATEGORY) : plain(lock, 90_000n);
  const joining = [
    joined('more', plain(lock, 40_000n), contract),
    joined('tokens', fungible(lock, 500n), contract),
    joined('nft', nft(lock, 'c0ffee', DUST, OTHER, 'none'), contract),
  ].slice(0, random.integer(4));
  const spend: Spend = {
    inputs: [
      { ...called('coin', coin, contract, 'spend', argumentsOf(...pair)), sequence: IN_FORCE },
      ...joining,
      owned('fee', outsider),
    ],
    outputs: [
      ...(hasThread ? [nft(lock, stateAt(spends + 1), DUST, CATEGORY)] : []),
      plain(outsider.lock, 10_000n),
    ],
    locktime: 0,
    chainTime: 1_800_000_000,
  };
  return fit(spend, outsider);
};

const HASH_TYPES = [0x41, 0x42, 0x43, 0x62, 0x63, 0xc1, 0xc2, 0xe1] as const;
const SLOTS = [
  ['first', 1],
  ['second', 3],
] as const;

const signatureFaults = ({ pair, sibling }: Vault, spend: Spend, random: Random): Fault[] =>
  SLOTS.flatMap(([name, at], slot): Fault[] => {
    const by = pair[slot] as Party;
    const signs = { invariant: 'I9', refusedBy: `the ${name} signer signs` } as const;
    const other = fit({ ...spend, outputs: [...spend.outputs, plain(outsider.lock, 700n)] }, outsider);
    const unlock = { contract: sibling, call: 'spend', args: argumentsOf(...pair) };
    const elsewhere = changeInput(spend, 0, { unlock });
    return [
      ...[...signers, outsider]
        .filter((party) => party !== by)
        .map((party): Fault => ({
          name: `${party.name} signs with the key of ${by.name}`,
          ...signs,
          spend: changeArgument(spend, at, { sign: party }),
        })),
      {
        name: 'an outsider signs with an own key',
        invariant: 'I9',
        refusedBy: slot === 0 ? 'the first signer is signer 1 or 2' : 'the second signer is a later one',
        spend: changeArgument(changeArgument(spend, at, { sign: outsider }), at - 1, outsider.publicKey),
      },
      {
        name: `the ${name} signature does not cover everything`,
        invariant: 'I9',
        refusedBy: `the ${name} signature covers everything`,
        spend: changeArgument(spend, at, { sign: by, hashType: random.pick(HASH_TYPES) }),
      },
      {
        name: 'signed with another output',
        ...signs,
        spend: changeArgument(spend, at, signedArgument(other, at)),
      },
      {
        name: 'signed for the sibling',
        ...signs,
        spend: changeArgument(spend, at, signedArgument(elsewhere, at)),
      },
    ];
  });

const orderFaults = (spend: Spend): Fault[] =>
  [
    [one, one],
    [two, two],
    [two, one],
    [three, one],
    [three, two],
    [three, three],
  ].map(([first, second]): Fault => ({
    name: `${first?.name ?? ''} before ${second?.name ?? ''}`,
    invariant: 'I9',
    refusedBy: first === three ? 'the first signer is signer 1 or 2' : 'the second signer is a later one',
    spend: argumentsOf(first as Party, second as Party).reduce<Spend>(
      (changed, argument, index) => changeArgument(changed, index, argument),
      spend,
    ),
  }));

const threadFaults = ({ sibling, spends }: Vault, spend: Spend): Fault[] => {
  const thread = spend.outputs[0] as Output;
  const token = thread.token as NonNullable<Output['token']>;
  const stays = { invariant: 'I4', refusedBy: 'output 0 stays at the vault' } as const;
  const carries = { invariant: 'I4', refusedBy: 'output 0 carries the thread' } as const;
  const as = (capability: 'none' | 'mutable' | 'minting', state: string): Spend =>
    changeOutput(spend, 0, { token: { ...token, nft: { capability, commitment: hexToBin(state) } } });
  const states = [
    stateAt(spends),
    stateAt(spends + 2),
    vaultLayout.encode({ version: 2, spends: spends + 1 }),
    `${stateAt(spends + 1)}00`,
    stateAt(spends + 1).slice(0, -2),
    '',
  ];
  const { lockingBytecode, valueSatoshis } = thread;
  const rest = spend.outputs.slice(1);
  const leaving = { ...thread, lockingBytecode: outsider.lock };
  return [
    { name: 'the thread goes to an outsider', ...stays, spend: changeOutput(spend, 0, leaving) },
    {
      name: 'the thread goes to the sibling',
      ...stays,
      spend: changeOutput(spend, 0, { lockingBytecode: sibling.lock }),
    },
    { name: 'the thread goes on behind', ...stays, spend: { ...spend, outputs: [...rest, thread] } },
    {
      name: 'the thread is dropped',
      ...carries,
      spend: { ...spend, outputs: [plain(lockingBytecode, valueSatoshis), ...rest] },
    },
    { name: 'the thread cannot change any more', ...carries, spend: as('none', stateAt(spends + 1)) },
    { name: 'the thread can mint', ...carries, spend: as('minting', stateAt(spends + 1)) },
    ...states.map((state): Fault => ({
      name: 'the new state is another',
      invariant: 'I4',
      refusedBy: 'output 0 carries the new state',
      spend: as('mutable', state),
    })),
    {
      name: 'a second thread comes out',
      invariant: 'I4',
      refusedBy: TOKEN_RULES,
      spend: fit({ ...spend, outputs: [...spend.outputs, leaving] }, outsider),
    },
  ];
};

const joinFaults = (vault: Vault, spend: Spend): Fault[] => {
  const { contract, sibling, pair, spends } = vault;
  const [first] = spend.inputs as [Input];
  const more = joined('one more', plain(contract.lock, 30_000n), contract);
  const alone = { ...spend, outputs: [plain(outsider.lock, DUST)] };
  const at = (inputs: readonly Input[], from = spend): Spend => fit({ ...from, inputs }, outsider);
  const own = {
    name: 'it joins what is not its vault',
    invariant: 'I9',
    refusedBy: 'input 0 is of this vault',
  } as const;
  const isFirst = { invariant: 'I9', refusedBy: 'the signers sign at input 0', input: 1 } as const;
  const thread = nft(contract.lock, stateAt(spends), DUST, 'f7'.repeat(32));
  return [
    { ...own, input: 1, spend: at([owned('first', outsider), more], alone) },
    {
      ...own,
      input: 1,
      spend: at(
        [called('other', plain(sibling.lock, 9_000n), sibling, 'spend', argumentsOf(...pair)), more],
        alone,
      ),
    },
    { name: 'it joins itself', invariant: 'I9', refusedBy: 'a coin joins another', spend: at([more], alone) },
    {
      name: 'a thread leaves through join',
      invariant: 'I4',
      refusedBy: 'the thread does not join',
      input: 1,
      spend: at([first, joined('thread', thread, contract), ...spend.inputs.slice(1)]),
    },
    {
      name: 'what is signed stands behind a person',
      ...isFirst,
      spend: at([owned('first', outsider), ...spend.inputs]),
    },
  ];
};

/** Spends of a random vault, each with what can be wrong with it. */
export const vaultFaults = (random: Random): FaultBase[] =>
  [true, false].map((hasThread): FaultBase => {
    const vault = anyVault(random);
    const spend = spendOf(vault, hasThread, random);
    return {
      label: `vault ${hasThread ? 'thread' : 'coin'} any`,
      contract: 'vault',
      legit: spend,
      faults: [
        ...signatureFaults(vault, spend, random),
        ...orderFaults(spend),
        ...joinFaults(vault, spend),
        ...(hasThread ? threadFaults(vault, spend) : []),
      ],
    };
  });
