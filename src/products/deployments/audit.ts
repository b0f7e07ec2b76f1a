/**
 * The audit of a deployment: nothing is taken on the record's word. Its address is derived anew, its funding audited,
 * its moves folded again from the chain, and what lies at its address compared with what its state says.
 * Source: docs/design/covenants.md, rules 10, 11 and 16.
 */
import type { Coin } from '../../bch/coins.js';
import type { Transaction } from '../../bch/transaction.js';
import { compareWithChain } from '../../covenant/compare.js';
import { auditGenesis, type Finding } from '../../covenant/genesis.js';
import type { Context } from '../../operation/context.js';
import { messageOf } from '../../errors.js';
import type { CovenantRecord } from '../../record/deployable.js';
import type { KnownRecord } from '../../record/known-record.js';
import { follow, type Followed } from '../../covenant/follow.js';
import { auditTerms } from './audit-terms.js';
import { auditTogether } from './audit-together.js';
import type { KnownAuthorities } from './authority.js';
import { coinFindings, endFindings } from './audit-coins.js';

export type AuditContext = Pick<Context, 'chain' | 'network' | 'store'>;

const finding = (check: string, ok: boolean, detail: string): Finding => ({ check, ok, detail });

const UNAVAILABLE: readonly unknown[] = ['chain_unavailable', 'server_disagrees'];
const isUnavailable = (error: unknown): boolean =>
  UNAVAILABLE.includes((error as { readonly code?: unknown } | null)?.code);

/** The record as the chain makes it, from its funding on; null when the chain's moves cannot be read. */
const foldFindings = async (
  record: CovenantRecord,
  followed: Followed<CovenantRecord>,
  { chain }: AuditContext,
): Promise<{ readonly folded: CovenantRecord | null; readonly agreement: Finding }> => {
  const check = 'record and chain agree';
  try {
    const { folded, differing } = await compareWithChain(record, followed, chain);
    const ok = differing.length === 0;
    const detail = ok
      ? `every move from the funding on was read again, and gives this record (${folded.status})`
      : `the moves on chain give a record that differs in ${differing.join(', ')}`;
    return { folded, agreement: finding(check, ok, detail) };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const detail = `the moves on chain cannot be read as this contract's: ${messageOf(error)}`;
    return { folded: null, agreement: finding(check, false, detail) };
  }
};

/** The category that a funding transaction mints at the covenant, or null. */
const mintedCategory = ({ inputs, outputs }: Transaction, lockingBytecode: string): string | null => {
  const minted = outputs.find(
    (output) => output.lockingBytecode === lockingBytecode && output.token?.nft !== undefined,
  )?.token?.category;
  return inputs.some(({ txid, vout }) => txid === minted && vout === 0) ? (minted ?? null) : null;
};

/** The checks of what a funding minted. What no genesis can be made of fails. */
const genesisFindings = async (
  { deployable, record }: KnownRecord,
  transaction: Transaction,
  context: AuditContext,
): Promise<readonly Finding[]> => {
  try {
    return auditGenesis(transaction, await deployable.genesis(record, context)).findings;
  } catch (error) {
    return [finding('thread', false, `nothing can be minted by these terms: ${messageOf(error)}`)];
  }
};

/** The funding transaction as the chain has it, audited with all threads that it must mint. */
const auditFunding = async (
  deployment: KnownRecord,
  lockingBytecode: string,
  context: AuditContext,
): Promise<{ readonly category: string | null; readonly findings: readonly Finding[] }> => {
  const txHash = deployment.record.tx_hash ?? '';
  const found = await context.chain.transaction(txHash);
  const fault = found === null ? null : await context.chain.faultOf(found);
  if (found === null || fault !== null) {
    const why =
      fault === null
        ? `the chain does not know ${txHash}`
        : `${txHash} breaks the rules of the network: ${fault}`;
    return { category: null, findings: [finding('funding', false, why)] };
  }
  const findings = await genesisFindings(deployment, found.transaction, context);
  const depth = found.height === null ? 'waits for a block' : `is in block ${found.height}`;
  return {
    category: mintedCategory(found.transaction, lockingBytecode),
    findings: [
      finding('funding', true, `${txHash} ${depth}`),
      ...findings.map(({ check, ...rest }) => ({ check: `funding: ${check}`, ...rest })),
    ],
  };
};

/** The checks of what the chain has. `coins` are those at the address. */
const auditChain = async (
  deployment: KnownRecord,
  coins: readonly Coin[],
  context: AuditContext & Context,
): Promise<readonly Finding[]> => {
  const { deployable, record } = deployment;
  const { followed } = deployable.following(context);
  const lockingBytecode = followed.lockingBytecode(record);
  if (record.tx_hash === null) {
    const isPending = followed.isPending(record);
    const detail = isPending
      ? 'not funded yet: there is no money to be checked'
      : `the record is ${record.status}, but names no funding transaction`;
    return [finding('funding', isPending, detail)];
  }
  const funding = await auditFunding(deployment, lockingBytecode, context);
  const { folded, agreement } = await foldFindings(record, followed, context);
  const { record: present } = await follow(record, followed, context.chain).catch(() => ({ record }));
  const thread = followed.thread(present);
  const site = { coins, category: funding.category };
  // The state speaks through the record that the chain makes; where it makes none, through the record as it stands.
  const judged = folded !== null && followed.thread(folded) !== null ? folded : present;
  const atAddress =
    thread === null
      ? endFindings(site)
      : await coinFindings({ deployable, record: judged, thread }, site, context);
  return [...funding.findings, agreement, ...atAddress];
};

/** True for a covenant that lives in a thread. Terms of which no genesis can be made are judged by their own checks. */
const hasThread = async ({ deployable, record }: KnownRecord, context: AuditContext): Promise<boolean> => {
  try {
    return (await deployable.genesis(record, context)).length > 0;
  } catch {
    return false;
  }
};

/**
 * Every check of a deployment with its result in words.
 *
 * @param coins - what lies at its address now
 * @param authorities - the claim authorities that are expected
 * @throws chain_unavailable
 */
export const auditDeployment = async (
  deployment: KnownRecord,
  coins: readonly Coin[],
  authorities: KnownAuthorities,
  context: Context,
): Promise<readonly Finding[]> => {
  const terms = [
    ...auditTerms(deployment, context.network, authorities),
    ...(await auditTogether(deployment, authorities, context)),
  ];
  // A product without a thread (a vote) keeps its own account of the chain.
  return (await hasThread(deployment, context))
    ? [...terms, ...(await auditChain(deployment, coins, context))]
    : terms;
};
