/** A deployment as the registry shows it. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { sumSatoshis } from '../../bch/coins.js';
import { networkNames, publicNetworkName } from '../../bch/network.js';
import { artifactOf, loadArtifact, pinnedFingerprint, type ArtifactName } from '../../covenant/artifact.js';
import { isPinned } from '../../covenant/thread.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { deriveAddress, type Deployment } from './deployments.js';

const OnChain = z.object({
  balanceSatoshis: z.string(),
  utxoCount: z.number(),
  thread: z
    .object({ category: z.string(), txid: z.string(), vout: z.number(), commitment: z.string() })
    .nullable()
    .describe('Null when it has none, or when it is not where the record says'),
  confirmed: z.boolean(),
});

export const EntryReply = z.object({
  contractType: z.string(),
  module: z.string(),
  id: z.string(),
  label: z.string(),
  network: z.enum(networkNames),
  contractAddress: z.string(),
  expectedAddress: z.string().nullable(),
  constructorParams: z.array(z.string()),
  artifact: z.object({
    name: z.string(),
    compiler: z.string(),
    fingerprint: z.string().describe('sha256 of the compiled bytecode, as the artifact has it'),
  }),
  artifactMatch: z.enum(['match', 'mismatch', 'unknown']),
  txHash: z.string().nullable(),
  status: z.string(),
  createdAt: z.number().describe('Unix seconds'),
  onChain: OnChain.optional(),
  explorerUrl: z.string().nullable(),
});
export type EntryReply = z.output<typeof EntryReply>;

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
const describeArtifact = ({ deployable, record }: Deployment): EntryReply['artifact'] => {
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
  { deployable, record }: Deployment,
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

/** A deployment for the registry; with what the chain has when that is asked for. @throws chain_unavailable */
export const showEntry = async (
  deployment: Deployment,
  { isVerified }: { readonly isVerified: boolean },
  context: Context,
): Promise<EntryReply> => {
  const { deployable, record } = deployment;
  const { network } = context;
  return {
    contractType: deployable.contractType(record),
    module: deployable.module,
    id: record.id,
    label: deployable.label(record),
    network: publicNetworkName(network),
    contractAddress: record.contract_address,
    ...deriveAddress(deployment, network),
    constructorParams: [...record.constructor_params],
    artifact: describeArtifact(deployment),
    txHash: record.tx_hash,
    status: record.status,
    createdAt: record.created_at,
    ...(isVerified ? { onChain: await readOnChain(deployment, context) } : {}),
    explorerUrl: context.probes.explorerLink(record.contract_address),
  };
};
