/** What a batch is asked for with: a body, or a file (CSV, the entries, or a whole body) beside it. */
import { z } from 'zod';
import { MAXIMUM_TOKEN_AMOUNT } from '../../bch/amount.js';
import { AddressField, TokenCategoryField, TokenTypeField } from '../../bch/fields.js';
import type { Network } from '../../bch/network.js';
import { MAXIMUM_STANDARD_SIZE, outputSize } from '../../bch/transaction.js';
import { genesisOutputs } from '../../covenant/genesis.js';
import { RESERVE_DUST } from '../../covenant/reserve.js';
import { TreasuryError } from '../../errors.js';
import { requestedAsset, type Asset } from '../../record/assets.js';
import type { RunContext, AnyOperation } from '../../operation/define.js';
import { chainNow } from '../../operation/chain-now.js';
import { invalidInput, readInput } from '../../operation/read-input.js';
import { columnOf, readBatchCsv } from './batch-csv.js';
import { warnOfBatch } from './batch-warnings.js';
import { ReadRows } from '../../operation/sheet.js';
import { checkSender, launchContextOf, requestedVault } from './draft.js';
import { LaunchContextField, VaultId } from './fields.js';
import { judgeRows, placeOf, RowField, type Sheet } from './rows.js';
import { streamState } from './state.js';

const MAXIMUM_ENTRIES = 5_000;

/** The body of a batch. */
export const BatchInput = z.object({
  vaultId: VaultId,
  senderAddress: AddressField,
  tokenType: TokenTypeField.optional().meta({ default: 'BCH' }),
  tokenCategory: TokenCategoryField,
  entries: z
    .array(RowField)
    .min(1)
    .max(MAXIMUM_ENTRIES)
    .optional()
    .describe('One for each stream: the body of a creation, without the asset. Required without file'),
  file: z
    .union([z.string(), ReadRows])
    .optional()
    .meta({ file: true })
    .describe(
      'In place of entries: CSV with a header, JSON (the entries, or a whole body), or rows that were read already',
    ),
  launchContext: LaunchContextField,
});

type BatchRequest = z.output<typeof BatchInput>;

/** A JSON file of a whole body. A field that is unknown could be money in another asset: it is refused. */
const FileBody = z.strictObject({
  ...BatchInput.omit({ file: true }).partial().shape,
  entries: z.array(z.unknown()),
});

type BatchFile = Omit<z.output<typeof FileBody>, 'entries'> & { readonly sheet: Sheet };

const sheetOf = (entries: readonly unknown[]): Sheet => ({
  rows: entries.map((entry) => ({ entry })),
  nameOf: (field) => field,
});

const fileOperation = {
  id: 'streams.batch-create',
  input: FileBody,
  aliases: { sender: 'senderAddress' },
} as unknown as AnyOperation;

/** @throws invalid_file, and invalid_input for what the body of a file may not have */
const readFileText = (text: string, network: Network): BatchFile => {
  if (!/^\s*[[{]/.test(text)) return { sheet: readBatchCsv(text) };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const reason = `expected CSV or JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw new TreasuryError('invalid_file', { file: 'The file', reason });
  }
  if (Array.isArray(document)) return { sheet: sheetOf(document) };
  const { input } = readInput(fileOperation, document as Record<string, unknown>, network);
  const { entries, ...body } = input as z.output<typeof FileBody>;
  return { ...body, sheet: sheetOf(entries) };
};

/** Rows as a face has read them out of a file. */
const sheetOfRows = ({ rows }: ReadRows): Sheet => ({
  nameOf: columnOf,
  rows: rows.map(({ line, entry, issues = [] }) => (issues.length > 0 ? { line, issues } : { line, entry })),
});

/** @throws invalid_input unless exactly one of entries and file is given */
const readSource = ({ entries, file }: BatchRequest, network: Network): BatchFile => {
  if (entries !== undefined && file !== undefined)
    throw invalidInput([{ path: 'file', message: 'is given, and so is entries: give one of them' }]);
  if (typeof file === 'object') return { sheet: sheetOfRows(file) };
  if (file !== undefined) return readFileText(file, network);
  if (entries === undefined) throw invalidInput([{ path: 'entries', message: 'is required, or file' }]);
  return { sheet: sheetOf(entries) };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What the request or its file says; both may, if they say the same. @throws invalid_input */
const agreed = <T>(
  path: string,
  asked: T | null | undefined,
  inFile: T | null | undefined,
): T | undefined => {
  if (asked == null || inFile == null) return asked ?? inFile ?? undefined;
  if (textOf(asked) === textOf(inFile)) return asked;
  throw invalidInput([{ path, message: `is ${textOf(asked)}, and the file says ${textOf(inFile)}` }]);
};

/** Room for the payer's inputs and change: seven signed inputs, which a wallet in ordinary use has few of. */
const ROOM = 1_200;
/** P2SH32. */
const CONTRACT_LOCK = `aa20${'00'.repeat(32)}87`;
const CATEGORY = '00'.repeat(32);

/** Checks that one standard transaction can fund so many streams. @throws batch_too_large with how many fit */
const checkBatchSize = (count: number, { category }: Pick<Asset, 'category'>): void => {
  const member = {
    lockingBytecode: CONTRACT_LOCK,
    commitment: '00'.repeat(streamState.size),
    pool: category === null ? 0n : MAXIMUM_TOKEN_AMOUNT,
    token: category === null ? null : { category, reserveLock: () => CONTRACT_LOCK },
  };
  const outputs = genesisOutputs([member], CATEGORY, RESERVE_DUST);
  const size = outputs.reduce((sum, output) => sum + outputSize(output), 0);
  const maximum = Math.floor((MAXIMUM_STANDARD_SIZE - ROOM) / size);
  if (count > maximum) throw new TreasuryError('batch_too_large', { count, maximum });
};

/**
 * Reads a batch: who asks, the vault, the asset, and every row. Nothing is stored.
 *
 * @returns the verdict on each row, and what all share; `now` is chain now, unix seconds
 * @throws caller_mismatch, vault_not_found, private_vault, invalid_file, invalid_input, batch_too_large,
 *   authority_missing, chain_unavailable
 */
export const readBatch = async (request: BatchRequest, context: RunContext<'address'>) => {
  const { store, network } = context;
  const sender = request.senderAddress;
  checkSender('senderAddress', sender, context.caller);
  const vault = await requestedVault(request.vaultId, store, sender);
  const { sheet, ...file } = readSource(request, network);
  checkSender('senderAddress', sender, file.senderAddress);
  const fileVault = await requestedVault(file.vaultId, store, sender);
  agreed('vaultId', vault?.id, fileVault?.id);
  const tokenType = agreed('tokenType', request.tokenType, file.tokenType) ?? 'BCH';
  const tokenCategory = agreed('tokenCategory', request.tokenCategory, file.tokenCategory);
  const asset = await requestedAsset({ tokenType, tokenCategory }, store);
  const launchContext = launchContextOf(agreed('launchContext', request.launchContext, file.launchContext));
  const now = await chainNow(context);
  const authorityPublicKey = await context.keys.authorityPublicKey();
  if (sheet.rows.length === 0) throw invalidInput([{ path: 'file', message: 'has no rows' }]);
  checkBatchSize(sheet.rows.length, asset);
  const run = { batchId: context.uuid(), launchContext, now, authorityPublicKey };
  const verdicts = await judgeRows(sheet, { sender, asset, vault, ...run }, context);
  const good = verdicts.flatMap((verdict) =>
    'stream' in verdict ? [{ place: placeOf(verdict), stream: verdict.stream }] : [],
  );
  return { launchContext, now, verdicts, warnings: await warnOfBatch(good, store) };
};
