/** How an examined transaction reads. */
import { BCH_DECIMALS, formatUnits } from '../../../bch/amount.js';
import type { View, ViewBlock } from '../../../operation/define.js';
import type { VerifyReply } from './reply.js';
import { signerWords } from './signer-words.js';

const BECAME = {
  made: 'is made',
  'goes on': 'goes on',
  ended: 'ends',
  paid: 'is paid, and nothing else of it changes',
} as const;

type Shown = VerifyReply['contracts'][number];

const contractBlocks = ({ what, address, contract, call, became, terms, state }: Shown): View => {
  const by = call === null ? '' : ` by "${call}"`;
  const rows = state.map(({ what: label, before, after }): readonly string[] => [
    label,
    before ?? '-',
    before === after ? '(the same)' : (after ?? '-'),
  ]);
  return [
    { kind: 'text', text: `The ${what} ${address} (${contract}) ${BECAME[became]}${by}.` },
    { kind: 'facts', rows: terms.map(({ what: label, value }) => [label, value] as const) },
    ...(rows.length === 0
      ? []
      : [{ kind: 'table' as const, head: ['What becomes of it', 'Before', 'After'], rows }]),
  ];
};

const listBlock = (head: string, lines: readonly string[]): readonly ViewBlock[] =>
  lines.length === 0 ? [] : [{ kind: 'table', head: [head], rows: lines.map((line) => [line]) }];

/** How `tx verify` reads. */
export const viewVerify = (reply: VerifyReply): View => [
  {
    kind: 'facts',
    rows: [
      ['Digest', reply.digest ?? 'cannot be worked out: not all inputs are known'],
      ['Network', reply.network],
      ['Fee', reply.fee === null ? 'not known' : `${formatUnits(BigInt(reply.fee), BCH_DECIMALS)} BCH`],
      ['Can be mined', reply.from],
    ],
  },
  {
    kind: 'table',
    head: ['Who', 'Pays and gets in all'],
    rows: reply.parties.map(({ party, words }) => [party, words]),
  },
  {
    kind: 'table',
    head: ['Output', 'What lies there'],
    rows: reply.outputs.map(({ words }, index) => [String(index), words]),
  },
  ...reply.contracts.flatMap(contractBlocks),
  ...listBlock('Signatures missing', signerWords(reply.signatures, 'missing')),
  {
    kind: 'table',
    tones: { ok: 'green', FAIL: 'red' },
    head: ['', 'Check', 'Result'],
    rows: reply.checks.map(({ check, ok, detail }) => [ok ? 'ok' : 'FAIL', check, detail]),
  },
  ...listBlock('Has no name here', reply.unnamed),
  ...listBlock('Not checked', reply.unchecked),
  ...listBlock('Note', reply.notes),
  { kind: 'text', text: `${reply.message}.` },
];
