import test from 'ava';
import { nodeWords, refusalKind, type RefusalKind } from '../../../src/adapters/electrum/node-words.js';

const fulcrum = (words: string): string => `the transaction was rejected by network rules.\n\n${words}\n`;

// As Bitcoin Cash Node words them, and older nodes.
const words: readonly (readonly [RefusalKind | null, readonly string[]])[] = [
  [
    'known',
    ['transaction already in block chain', 'txn-already-in-mempool (code 18)', 'txn-already-known (code 18)'],
  ],
  ['conflict', ['txn-mempool-conflict (code 18)']],
  [
    'missing',
    ['Missing inputs', 'bad-txns-inputs-missingorspent (code 16)', 'bad-txns-inputs-spent (code 18)'],
  ],
  [
    'notFinal',
    [
      'bad-txns-nonfinal, non-final transaction (code 64)',
      'non-BIP68-final (code 64)',
      'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 3 (code 16)',
    ],
  ],
  [
    'token',
    [
      'bad-txns-token-in-belowout (code 16)',
      'bad-txns-token-commitment-oversized (code 16)',
      'bad-txns-token-invalid-category (code 16)',
    ],
  ],
  ['dust', ['dust (code 64)']],
  [
    'fee',
    [
      'min relay fee not met (code 66)',
      'mempool min fee not met, 110 < 300 (code 66)',
      'insufficient priority (code 66)',
      'bad-txns-in-belowout, value in (0.1) < value out (0.2) (code 16)',
    ],
  ],
  [
    'script',
    [
      'mandatory-script-verify-flag-failed (Script failed an OP_EQUALVERIFY operation) (code 16)',
      'non-mandatory-script-verify-flag (Signature must be zero for failed CHECK(MULTI)SIG operation) (code 64)',
      'upgrade-conditional-script-failure (Opcode missing or not understood) (code 16)',
      'bad-txns-input-sigchecks, transaction sigchecks limit (code 64)',
    ],
  ],
  ['size', ['tx-size (code 64)', 'bad-txns-oversize (code 16)']],
  ['malformed', ['TX decode failed', 'bad-txns-vin-empty (code 16)', 'bad-txns-inputs-duplicate (code 16)']],
  [
    'other',
    [
      'scriptpubkey (code 64)',
      'scriptsig-size (code 64)',
      'oversize-op-return (code 64)',
      'version (code 64)',
    ],
  ],
  [
    null,
    ['Work queue depth exceeded', 'Loading block index...', 'mempool full (code 66)', 'Connection refused'],
  ],
];

for (const [kind, messages] of words) {
  for (const message of messages) {
    test(`a node › given "${message}" › it is ${kind ?? 'the server that is in trouble'}`, (t) => {
      t.is(refusalKind(fulcrum(message)), kind);
    });
  }
}

test('a node › given words without what Fulcrum puts before them › they are told apart just so', (t) => {
  t.is(refusalKind('txn-mempool-conflict'), 'conflict');
  t.is(refusalKind('the transaction was rejected by network rules.\n\ndust (code 64)\n[0200ab]'), 'dust');
  t.is(refusalKind('excessive resource usage'), null);
});

test('the words › given what Fulcrum and others put around them › they stand alone', (t) => {
  t.is(nodeWords(fulcrum('dust (code 64)')), 'dust');
  t.is(
    nodeWords('The transaction was rejected by network rules.\n\nMissing inputs\n[0200ab]'),
    'Missing inputs',
  );
  t.is(
    nodeWords(fulcrum('mandatory-script-verify-flag-failed (Script failed) (code 16)')),
    'mandatory-script-verify-flag-failed (Script failed)',
  );
});
