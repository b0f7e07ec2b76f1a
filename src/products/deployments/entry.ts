/** A deployment as the registry shows it. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { sumSatoshis } from '../../bch/coins.js';
import { networkNames, publicNetworkName } from '../../bch/network.js';
import { artifactOf, loadArtifact, pinnedFingerprint, type ArtifactName } from '../../covenant/artifact.js';
import { isPinned } from '../../covenant/thread.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { defineReply } from '../../operation/told-reply.js';
import type { KnownRecord } from '../../record/known-record.js';
import { deriveAddress, type Derivation } from './deployments.js';

const OnChain = z.object({
  balanceSatoshis: z.string(),
  utxoCount: z.number(),
  thread: z
    .object({ category: z.string(), txid: z.string(), vout: z.number(), commitment: z.string() })
    .nullable()
    .describe('Null when it has none, or when it is not where the record says'),
  confirmed: z.boolean(),
});

const Artifact = z.object({
  name: z.string(),
  compiler: z.string(),
  fingerprint: z.string().describe('sha256 of the compiled bytecode, as the artifact has it'),
});

/** The compiler of a version, or nobody knows which where this program does not have it. */
const compilerOf = (name: ArtifactName, pinned: string | null): string => {
  try {
    const { compiler } = loadArtifact(name, pinned);
    return `${compiler.name} ${compiler.version}`;
  } catch (error) {
    if (error instanceof TreasuryError) return 'unknown';
    throw error;
  }
};

/** The artifact's name, its version and where it comes from. */
const describeArtifact = ({ deployable, record }: KnownRecord): z.output<typeof Artifact> => {
  const contractType = deployable.contractType(record);
  const name = artifactOf(contractType);
  if (name === undefined) throw new Error(`no artifact is known of ${contractType} ${record.id}`);
  const { artifact_fingerprint: pinned } = record;
  return {
    name: contractType,
    compiler: compilerOf(name, pinned),
    fingerprint: pinnedFingerprint(name, pinned),
  };
};

/** What the chain has at the address of a deployment. @throws chain_unavailable */
const readOnChain = async (
  { deployable, record }: KnownRecord,
  context: Context,
): Promise<z.output<typeof OnChain>> => {
  const { lockingBytecode } = parseAddress(record.contract_address);
  const coins = await context.chain.coins(lockingBytecode);
  const thread = deployable.following(context).followed.thread(record);
  const isThere = thread !== null && coins.some((coin) => isPinned(coin, thread));
  return {
    balanceSatoshis: sumSatoshis(coins).toString(),
    utxoCount: coins.length,
    thread: isThere ? thread : null,
    confirmed: coins.length > 0 && coins.every(({ height }) => height !== null),
  };
};

type Entry = KnownRecord & {
  readonly derivation: Derivation;
  readonly onChain: z.output<typeof OnChain> | undefined;
  readonly context: Context;
};

const entryReply = defineReply<Entry>()({
  contractType: [z.string(), ({ deployable, record }) => deployable.contractType(record)],
  module: [z.string(), ({ deployable }) => deployable.module],
  id: [z.string(), ({ record }) => record.id],
  label: [z.string(), ({ deployable, record }) => deployable.label(record)],
  network: [z.enum(networkNames), ({ context }) => publicNetworkName(context.network)],
  contractAddress: [z.string(), ({ record }) => record.contract_address],
  expectedAddress: [z.string().nullable(), ({ derivation }) => derivation.expectedAddress],
  constructorParams: [z.array(z.string()), ({ record }) => [...record.constructor_params]],
  artifact: [Artifact, describeArtifact],
  artifactMatch: [z.enum(['match', 'mismatch', 'unknown']), ({ derivation }) => derivation.artifactMatch],
  txHash: [z.string().nullable(), ({ record }) => record.tx_hash],
  status: [z.string(), ({ record }) => record.status],
  createdAt: [z.number().describe('Unix seconds'), ({ record }) => record.created_at],
  onChain: [OnChain.optional(), ({ onChain }) => onChain],
  explorerUrl: [
    z.string().nullable(),
    ({ record, context }) => context.probes.explorerLink(record.contract_address),
  ],
});
export const EntryReply = entryReply.reply;

/** A deployment for the registry; with what the chain has when that is asked for. @throws chain_unavailable */
export const showEntry = async (
  deployment: KnownRecord,
  { isVerified }: { readonly isVerified: boolean },
  context: Context,
): Promise<z.output<typeof EntryReply>> => {
  const derivation = deriveAddress(deployment, context.network);
  const onChain = isVerified ? await readOnChain(deployment, context) : undefined;
  return entryReply.show({ ...deployment, derivation, onChain, context });
};
