/** Creating a vault: three signers and their keys in, a pending record and its address out. */
import { binToHex } from '@bitauth/libauth';
import { z } from 'zod';
import { BCH_DECIMALS, MAXIMUM_SATOSHIS, showNumber, toUnits } from '../../../bch/amount.js';
import { ownWordsOf, withOwnWords } from '../../../record/own-words.js';
import { AddressField, BchField, Title } from '../../../bch/fields.js';
import { THREAD_DUST } from '../../../bch/transaction.js';
import { belowDust } from '../../../covenant/checks.js';
import { newestFingerprint } from '../../../covenant/artifact.js';
import { commitAnswer } from '../../../operation/commit-answer.js';
import { defineOperation, type RunContext } from '../../../operation/define.js';
import { nextLabel, shellLabel } from '../../../record/labels.js';
import { giveLabels } from '../../../record/local-label.js';
import { writeNote } from '../../../record/events.js';
import type { StoreWriter } from '../../../operation/ports/store.js';
import { invalidInput } from '../../../operation/read-input.js';
import { checkVaultTerms, vaultContract } from '../contract.js';
import { vaultGuide } from '../guide.js';
import { showVault, VaultReply } from '../reply.js';
import {
  NOTHING_HELD,
  SIGNERS,
  UNFUNDED,
  VAULT_LABEL,
  vaultCollection,
  vaultTopic,
  type VaultRecord,
} from '../vault.js';

const PublicKeyField = z
  .string()
  .regex(/^[0-9a-fA-F]*$/, 'expected a public key as hex')
  .overwrite((text) => text.toLowerCase());

const input = z.object({
  name: Title,
  signers: z
    .array(AddressField)
    .length(SIGNERS, 'expected exactly 3 addresses')
    .describe('Exactly 3 addresses'),
  signerPubkeys: z
    .array(PublicKeyField)
    .length(SIGNERS, 'expected exactly 3 public keys')
    .describe('Their compressed public keys (33 bytes, hex), in the same order'),
  totalDeposit: BchField.describe(
    'What is to be deposited in all, BCH: at least 0.00001, or 0 for a vault without a target',
  ),
  isPublic: z.boolean().default(false).describe('Everybody may read it and what belongs to it'),
});

/** @throws invalid_amount, amount_below_dust */
const readTotalDeposit = ({ totalDeposit }: z.output<typeof input>): bigint => {
  const satoshis = toUnits(totalDeposit, BCH_DECIMALS, 'totalDeposit', MAXIMUM_SATOSHIS);
  if (satoshis !== 0n && satoshis < THREAD_DUST) throw belowDust('totalDeposit', satoshis, THREAD_DUST);
  return satoshis;
};

/** The record that a request asks for. @throws invalid_input, invalid_amount, amount_below_dust */
const draftVault = (request: z.output<typeof input>, context: RunContext<'address'>): VaultRecord => {
  const now = context.clock.now();
  const terms = {
    artifact_fingerprint: newestFingerprint('vault'),
    on_chain_vault_id: binToHex(context.random(32)),
    signers: request.signers.map(({ text }) => text),
    signer_pubkeys: request.signerPubkeys,
  };
  const failed = checkVaultTerms(terms).filter(({ ok }) => !ok);
  if (failed.length > 0) {
    throw invalidInput(failed.map(({ check, detail }) => ({ path: check, message: detail })));
  }
  const contract = vaultContract(terms, context.network);
  return {
    id: context.uuid(),
    label: null,
    ...terms,
    name: request.name,
    creator: context.caller.text,
    viewers: [],
    total_deposit: readTotalDeposit(request),
    is_public: request.isPublic,
    contract_address: contract.address.text,
    constructor_params: [...contract.constructorParams],
    ...UNFUNDED,
    ...NOTHING_HELD,
    created_at: now,
    updated_at: now,
    ...ownWordsOf(context),
  };
};

export const create = withOwnWords(
  defineOperation({
    id: 'vaults.create',
    summary: 'Create a vault of three signers, two of whom sign each spend',
    description:
      'The vault is pending until its first deposit, which mints its state NFT. The creator is the caller.',
    http: { method: 'POST', path: '/api/vaults', status: 201, creates: true },
    cli: {
      guide: vaultGuide,
      example:
        'vaults create --name "Common funds" --total-deposit 1 --signers <a> --signers <b> --signers <c> --signer-pubkeys <a> --signer-pubkeys <b> --signer-pubkeys <c>',
    },
    auth: 'address',
    forKeys: 'measured',
    input,
    output: z.object({ message: z.string(), ...VaultReply.shape }),
    errors: ['invalid_amount', 'amount_below_dust'],
    run: async (request, context) => {
      // Check, build: the terms, and the contract of these keys.
      const vault = draftVault(request, context);
      const { network } = context;
      const price = await context.price.reading();

      // Record: the vault and its first event, with the answer.
      const { id: entityId, creator: actor, total_deposit: amount, created_at: now } = vault;
      const about = { entityType: 'vault', entityId, decimals: BCH_DECIMALS };
      const make = async (writer: StoreWriter): Promise<VaultRecord> => {
        await giveLabels(writer, vaultCollection, VAULT_LABEL);
        const made = { ...vault, label: await nextLabel(writer, VAULT_LABEL) };
        writer.put(vaultCollection, made);
        const subject = { ...about, topic: vaultTopic(made), network, now, price };
        await writeNote(writer, subject, { type: 'created', actor, amount });
        return made;
      };
      return commitAnswer(context, make, async (made, store) => ({
        message: `${vault.name} is created and waits for its first deposit`,
        ...(await showVault(made, context.caller.text, store)),
      }));
    },
    view: ({ id, label, message, contractAddress, totalDeposit }) => [
      { kind: 'text', text: `${message}.` },
      {
        kind: 'facts',
        rows: [
          ['Vault', label ?? id],
          ['Address', contractAddress],
          ['To deposit', totalDeposit === 0 ? 'no target' : `${showNumber(totalDeposit)} BCH`],
        ],
      },
      {
        kind: 'next',
        command: `vaults deposit ${shellLabel(label ?? id)}`,
        why: 'to make the first deposit',
      },
    ],
  }),
);
