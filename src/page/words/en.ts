/** Every text of the page that the daemon does not say, in English. */

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

export const words = {
  pictures: {
    showTable: 'Show as a table',
    today: 'today',
    stream: {
      title: (label: string) => `What vests and was claimed of ${label}`,
      vested: (vested: string, total: string, share: string) =>
        `${vested} of ${total} have vested (${share}).`,
      claimable: (amount: string) => `${amount} can be claimed now.`,
      nothingNow: 'Nothing can be claimed now.',
      next: (when: string, end: string) => `More vests at ${when}, the last on ${end}.`,
      standsStill: 'It is paused: nothing more vests until the sender resumes it.',
      pending: (total: string, end: string) => `Not funded yet. ${total} would have vested by ${end}.`,
      cancelled: (paid: string, returned: string, day: string) =>
        `Cancelled on ${day}: ${paid} went to the recipient, ${returned} back to the sender.`,
      keyClaimed: (amount: string, by: string | null) =>
        `claimed: ${amount}${by === null ? '' : `, by ${by}`}`,
      keyClaimable: (amount: string) => `can be claimed: ${amount}`,
      keyComing: (amount: string) => `to come: ${amount}`,
      keyReturned: (amount: string) => `returned to the sender: ${amount}`,
      keyPaused: 'paused: nothing vests',
      pauseFrom: (from: string, until: string) => `Paused from ${from} to ${until}`,
      claimOf: (amount: string, by: string, day: string) => `${amount}, claimed by ${by} on ${day}`,
      claimNumber: (number: number) => `Claim ${number}`,
      byTo: (by: string, to: string) => `${by}, sent to ${to}`,
      earlierClaims: 'Earlier claims',
      begin: 'Begin',
      end: 'End',
      pause: 'Pause',
      pauseLasts: 'Pause, which lasts on',
      canClaim: (amount: string) => `${amount} can be claimed`,
      head: ['What', 'When', 'Amount', 'Claimed in all', 'By'],
    },
    payment: {
      title: (label: string) => `The periods of ${label}`,
      paid: (paid: number, total: number | null, each: string) =>
        `${total === null ? plural(paid, 'period') : `${paid} of ${plural(total, 'period')}`} of ${each} ${paid === 1 ? 'was' : 'were'} paid.`,
      ended: 'It has ended.',
      due: (count: number, amount: string) => `${plural(count, 'period')} can be claimed now: ${amount}.`,
      nothingDue: 'Nothing is due.',
      nextOn: (day: string) => `The next falls due on ${day}.`,
      unpaid: (count: number) => `${plural(count, 'period')} fell due and nothing is there to pay it from.`,
      fundedUntil: (day: string) => `What it holds lasts until ${day}.`,
      standsStill: 'It is paused.',
      dry: 'It holds nothing: the sender has to refill it.',
      states: {
        paid: 'paid',
        due: 'due, can be claimed',
        unpaid: 'due, not funded',
        funded: 'to come, funded',
        missing: 'to come, not funded',
      },
      earlier: (count: number) => `← ${count} paid before`,
      later: (count: number) => `${count} more →`,
      head: ['Period', 'Paid or due', 'Amount', 'State'],
    },
    budget: {
      title: (label: string) => `The milestones of ${label}`,
      released: (count: number, all: number, amount: string, share: string) =>
        `${count} of ${plural(all, 'milestone')} released: ${amount} (${share}).`,
      releasable: (amount: string) => `${amount} can be released now.`,
      returned: (amount: string) => `It was cancelled: ${amount} went back to the controller.`,
      standsStill: 'It is paused: no further milestone falls due.',
      next: (day: string) => `The next falls due on ${day}.`,
      states: {
        released: 'released',
        releasable: 'can be released',
        pending: 'to come',
        returned: 'returned',
      },
      head: ['Milestone', 'Released or due', 'Amount', 'State', 'Description'],
    },
    pool: {
      title: (label: string) => `The pool of ${label}`,
      distributed: (paid: string, total: string, share: string, count: number) =>
        `${paid} of ${total} (${share}) paid in ${plural(count, 'reward')}.`,
      left: (amount: string) => `${amount} are left.`,
      returned: (amount: string) => `It was cancelled: ${amount} went back.`,
      payout: (amount: string, to: string, day: string) => `${amount} to ${to} on ${day}`,
      begin: 'Begin',
      earlier: (count: number) => plural(count, 'earlier reward'),
      keyLeft: 'left in the pool',
      keyReturned: 'returned',
      keyDistributed: 'paid as rewards',
      head: ['When', 'To', 'Amount', 'Left'],
    },
    approvals: {
      title: (label: string) => `Who has signed ${label}`,
      pending: (signed: number, needed: number, missing: number) =>
        `${signed} of ${needed} signatures are there; ${missing} more ${missing === 1 ? 'is' : 'are'} needed, from any of the others.`,
      ready: (signed: number, needed: number) =>
        `${signed} of ${needed} signatures are there: it can be sent.`,
      spent: 'It was sent.',
      cancelled: 'It was dropped.',
      gone: 'It lost a coin to another transaction, and cannot be sent.',
      yourTurn: 'You have not signed it.',
      youSigned: 'You have signed it.',
      you: 'you',
      signer: (number: number) => `Signer ${number}`,
      states: { signed: 'signed', waits: 'not signed', 'not needed': 'not needed' },
      head: ['Signer', 'Address', 'State', 'When'],
    },
    tally: {
      title: (title: string) => `Votes on "${title}"`,
      choices: { FOR: 'For', AGAINST: 'Against', ABSTAIN: 'Abstain' },
      turnout: 'All votes',
      quorum: (weight: string) => `quorum ${weight}`,
      quorumRow: 'Quorum',
      active: (end: string, lacking: string | null) =>
        `Voting ends at ${end}. ${lacking === null ? 'Enough have voted for it to count.' : `${lacking} more must vote for it to count.`}`,
      passed: (end: string) => `It passed: voting ended at ${end}.`,
      rejected: (end: string) => `It was rejected: voting ended at ${end}.`,
      expired: (end: string, lacking: string) =>
        `It came to nothing: ${lacking} votes were missing when voting ended at ${end}.`,
      uncounted: (count: number) =>
        `${plural(count, 'vote')} without locked tokens ${count === 1 ? 'does' : 'do'} not count.`,
      head: ['Vote', 'Tokens', 'Share', 'Voters'],
    },
    runway: {
      title: 'When each runs dry',
      nothing: 'Nothing of yours lives on refills.',
      areDry: (count: number) => `${count} ${count === 1 ? 'is' : 'are'} dry and must be refilled.`,
      next: (label: string, day: string) => `${label} runs dry next, on ${day}.`,
      soon: (count: number) => `${count} run dry within 30 days.`,
      more: (count: number) => `${count} more stand in the table.`,
      pays: (label: string, to: string) => `${label} to ${to}`,
      dry: 'dry',
      looks: {
        week: 'runs dry within 7 days',
        month: 'within 30 days',
        later: 'later',
      },
      head: ['What', 'To', 'Holds', 'Lasts until'],
    },
  },
} as const;
