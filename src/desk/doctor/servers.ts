/** The chain's servers, each asked by itself; on `local`, the embedded chain. */
import type { ServerFacts } from '../../operation/ports/surroundings.js';
import type { Check, Patient } from './check.js';
import { ok, problem, problemOf, warning, type Finding } from './finding.js';

/** Blocks that a server may be behind the best tip. */
const MOST_BLOCKS_BEHIND = 3;
const SERVERS_ADVICE = 'check the network, and the servers in TREASURY_ELECTRUM if it is set';

const NODE_ADVICE = 'start the node behind it, or name another server in TREASURY_ELECTRUM';

type Answer = Extract<ServerFacts, { readonly kind: 'answered' }>;
const isAnswer = (facts: ServerFacts): facts is Answer => facts.kind === 'answered';

const answerFinding = (
  { url, protocol, height, latencyMs, nodeFailure, serves, isOurs }: Answer,
  { context: { network }, surroundings }: Patient,
  { best, hasOther }: { readonly best: number; /** With a node that answers. */ readonly hasOther: boolean },
): Finding => {
  if (!isOurs) {
    const what = serves === null ? 'a network that is not known' : serves.join(' or ');
    return problem(`${url} serves ${what}, not ${network}`, 'take it out of TREASURY_ELECTRUM');
  }
  if (nodeFailure !== null) return (hasOther ? warning : problem)(`${url} ${nodeFailure}`, NODE_ADVICE);
  const genesis =
    serves === null ? 'its genesis block may be any' : `its genesis block is that of ${network}`;
  const use = surroundings.servers?.inUse() === url ? '; in use' : '';
  const detail = `${url} answers in ${latencyMs} ms, speaks protocol ${protocol}, tip ${height}; ${genesis}${use}`;
  return best - height > MOST_BLOCKS_BEHIND
    ? warning(
        `${detail}; ${best - height} blocks behind`,
        'name another server before it in TREASURY_ELECTRUM',
      )
    : ok(detail);
};

const serverFindings = async (patient: Patient): Promise<readonly Finding[]> => {
  const facts = (await patient.surroundings.servers?.ask()) ?? [];
  const usable = facts.filter(isAnswer).filter(({ isOurs }) => isOurs);
  const best = Math.max(0, ...usable.map(({ height }) => height));
  const hasOther = usable.some(({ nodeFailure }) => nodeFailure === null);
  return facts.map((one) => {
    if (isAnswer(one)) return answerFinding(one, patient, { best, hasOther });
    const detail = `${one.url} ${one.reason}`;
    return usable.length > 0 ? warning(detail, SERVERS_ADVICE) : problem(detail, SERVERS_ADVICE);
  });
};

export const servers: Check = {
  name: 'servers',
  needs: [],
  look: async (patient) => {
    const findings = await serverFindings(patient);
    const { chainFailure } = patient;
    // Where every server has failed, each has said so itself.
    const isSaid = findings.length > 0 && findings.every(({ state }) => state === 'problem');
    return chainFailure === null || isSaid ? findings : [...findings, problemOf(chainFailure)];
  },
};

export const embeddedChain: Check = {
  name: 'chain',
  needs: ['folder'],
  look: async ({ context, chainFailure }) => {
    if (chainFailure !== null) return [problemOf(chainFailure)];
    const { height } = await context.chain.tip();
    return [ok(`the embedded chain opens; its height is ${height}`)];
  },
};
