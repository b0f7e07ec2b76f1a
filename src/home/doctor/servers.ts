/** The chain's servers, each asked by itself; on `local`, the embedded chain. */
import type { ServerFacts } from '../../operation/ports/surroundings.js';
import {
  listText,
  ok,
  problem,
  problemOf,
  warning,
  type Check,
  type Subject,
  type Finding,
} from './check.js';

/** Blocks that a server may be behind the best tip. */
const MOST_BLOCKS_BEHIND = 3;
const SERVERS_ADVICE = 'check the network, and the servers in TREASURY_ELECTRUM if it is set';

const NODE_ADVICE = 'start the node behind it, or name another server in TREASURY_ELECTRUM';

type Answer = Extract<ServerFacts, { readonly kind: 'answered' }>;
const isAnswer = (facts: ServerFacts): facts is Answer => facts.kind === 'answered';

const answerFinding = (
  { url, protocol, height, latencyMs, nodeFailure, serves, isOurs }: Answer,
  { context: { network }, surroundings }: Subject,
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

/** Why a server is not to be believed; null when nothing speaks against it. */
const contradictionOf = (answer: Answer, all: readonly Answer[], subject: Subject): string | null => {
  const checkpoint = subject.surroundings.servers?.checkpoint() ?? null;
  if (answer.hasCheckpoint === false && checkpoint !== null)
    return `does not have the block ${checkpoint.height} that this home trusts (${checkpoint.hash})`;
  const { compared } = answer;
  const others = all.filter(
    (other) => other !== answer && other.compared !== null && other.compared.hash !== compared?.hash,
  );
  if (compared === null || others.length === 0) return null;
  return `shows ${compared.hash} as block ${compared.height}, and ${listText(others.map(({ url }) => url))} another`;
};

const CONTRADICTION_ADVICE =
  'compare the block with an explorer that you trust, and take the server that is wrong out of TREASURY_ELECTRUM';

const NAMED_BY = {
  operator: 'which was named with --checkpoint',
  servers: 'which two servers agreed on',
  'first block': 'the first of its chain, whose blocks cost nothing: nobody is protected by their work',
} as const;

const checkpointFindings = ({ surroundings }: Subject): readonly Finding[] => {
  const checkpoint = surroundings.servers?.checkpoint() ?? null;
  if (checkpoint === null) return [];
  const { height, hash, by, checkedDownTo } = checkpoint;
  return [
    ok(
      `this home trusts block ${height} (${hash}), ${NAMED_BY[by]}; links are checked from block ${checkedDownTo} on`,
    ),
  ];
};

const serverFindings = async (subject: Subject): Promise<readonly Finding[]> => {
  const facts = (await subject.surroundings.servers?.ask()) ?? [];
  const usable = facts.filter(isAnswer).filter(({ isOurs }) => isOurs);
  const best = Math.max(0, ...usable.map(({ height }) => height));
  const hasOther = usable.some(({ nodeFailure }) => nodeFailure === null);
  return facts.map((one) => {
    if (isAnswer(one)) {
      const contradiction = one.isOurs ? contradictionOf(one, usable, subject) : null;
      return contradiction === null
        ? answerFinding(one, subject, { best, hasOther })
        : problem(`${one.url} ${contradiction}`, CONTRADICTION_ADVICE);
    }
    const detail = `${one.url} ${one.reason}`;
    return usable.length > 0 ? warning(detail, SERVERS_ADVICE) : problem(detail, SERVERS_ADVICE);
  });
};

export const servers: Check = {
  name: 'servers',
  needs: [],
  look: async (subject) => {
    const found = await serverFindings(subject);
    const { chainFailure } = subject;
    // Where every server has failed, each has said so itself.
    const isSaid = found.length > 0 && found.every(({ state }) => state === 'problem');
    const findings = [...found, ...checkpointFindings(subject)];
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
