/** The act of governance: two voters lock tokens, one only says so; the end passes, the recount agrees, the stakes return. */
import { DAY, type Person, type Stage } from './stage.js';

/** Tokens that each voter gets, in whole tokens of two decimals. */
const SHARE = 100n;
const STAKES = { FOR: 60n, AGAINST: 25n } as const;
const SCALE = 100n;

/** A token that the founder mints and gives to the voters. */
const shareTokens = async (stage: Stage, founder: Person, voters: readonly Person[]): Promise<string> => {
  const tokenCategory = await stage.mint(founder, { supply: '1000', decimals: 2, symbol: 'VOICE' });
  await stage.step(founder, ['wallet', 'send'], {
    what: `${voters.map(({ name }) => name).join(' and ')} get ${SHARE} VOICE each`,
    input: {
      outputs: voters.map(({ address }) => ({ to: address.text, amount: String(SHARE), tokenCategory })),
    },
  });
  return tokenCategory;
};

/** Votes counted for and against, in whole tokens. */
const countsOf = (sums: Record<string, unknown>): readonly [bigint, bigint] => [
  BigInt(Number(sums['votesFor'])),
  BigInt(Number(sums['votesAgainst'])),
];

/** Plays the act. */
export const playGovernance = async (stage: Stage): Promise<void> => {
  const founder = await stage.person('vic', 90_000_000n);
  const [yes, no] = [await stage.person('wes', 300_000n), await stage.person('xia', 300_000n)];
  const guest = await stage.person('yan');
  stage.say('');
  const vaultId = String((await stage.vault('The commons', [founder, yes, no], '0.001'))['id']);
  const tokenCategory = await shareTokens(stage, founder, [yes, no]);

  const proposal = await stage.ask(founder, 'governance.propose', {
    vaultId,
    title: 'Hire a gardener',
    quorum: 50,
    votingDurationDays: 7,
    tokenCategory,
  });
  const proposalId = String(proposal['id']);
  stage.say(`\n"Hire a gardener", voted on with VOICE until ${String(proposal['votingEndsAt'])}`);
  const step = (who: Person, verb: 'lock' | 'unlock', what: string, input: Record<string, unknown> = {}) =>
    stage.step(who, ['governance', verb], {
      what,
      input: { proposalId, voterAddress: who.address.text, ...input },
    });

  for (const [who, voteChoice] of [
    [yes, 'FOR'],
    [no, 'AGAINST'],
  ] as const) {
    const stakeAmount = String(STAKES[voteChoice]);
    await step(who, 'lock', `${who.name} locks ${stakeAmount} VOICE ${voteChoice}`, {
      voteChoice,
      stakeAmount,
    });
    const left = (SHARE - STAKES[voteChoice]) * SCALE;
    stage.check(`what ${who.name} locked is out of reach`, left, await stage.tokensOf(who, tokenCategory));
  }
  await stage.ask(guest, 'governance.vote', { proposalId, vote: 'AGAINST', weight: 1_000 });
  stage.say(`  ${guest.name} says AGAINST off-chain: shown, and not tallied`);

  await stage.app.context.localChain?.advance(7 * DAY);
  const ended = await stage.ask(founder, 'governance.show', { proposalId });
  stage.say(`  the end has passed: ${String(ended['status'])}`);
  const recount = ended['recount'] as Record<string, unknown>;
  for (const [what, sums] of [
    ['the tally', ended],
    ['the recount from the chain', recount],
  ] as const) {
    const [votesFor, votesAgainst] = countsOf(sums);
    stage.check(`${what}: for`, STAKES.FOR, votesFor);
    stage.check(`${what}: against`, STAKES.AGAINST, votesAgainst);
  }

  for (const who of [yes, no]) {
    await step(who, 'unlock', `${who.name} takes the stake back`);
    stage.check(`${who.name} has every token again`, SHARE * SCALE, await stage.tokensOf(who, tokenCategory));
  }
};
