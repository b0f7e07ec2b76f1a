/** I7: of every accepted spend, no signature can be left out, and nobody can sign in another's place. */
import test from 'ava';
import { isSigning, type Argument } from '../harness/bound.js';
import { authority, outsider, owner, recipient, signers } from '../harness/parties.js';
import { buildTransaction, callAt, changeArgument, signedArgument, type Spend } from '../harness/spend.js';
import { verify } from './chain.js';
import { acceptedIn, everyTrace, PRODUCT_NAMES } from './every-trace.js';
import { PEOPLE } from './oracle.js';
import { signersAt } from './signers.js';

const [thief] = signers;

const isAccepted = (spend: Spend): boolean => verify(buildTransaction(spend), '2026') === 'accepted';

type Slot = { readonly index: number; readonly argument: Argument };

const slotsOf = (spend: Spend): Slot[] =>
  callAt(spend).args.flatMap((argument, index) => (isSigning(argument) ? [{ index, argument }] : []));

/** What an attacker can put in a signature's place, and in its key's. */
const forgeries = (spend: Spend, { index, argument }: Slot): Spend[] => {
  const real = isSigning(argument) ? argument.sign : thief;
  const others = [owner, recipient, authority, outsider, thief].filter((party) => party !== real);
  const elsewhere = signedArgument({ ...spend, locktime: spend.locktime - 1 }, index);
  return [
    changeArgument(spend, index, new Uint8Array()),
    changeArgument(spend, index, elsewhere),
    ...others.map((party) => changeArgument(spend, index, { sign: party })),
    ...others.map((party) =>
      changeArgument(changeArgument(spend, index, { sign: party }), index - 1, party.publicKey),
    ),
  ];
};

for (const product of PRODUCT_NAMES) {
  test(`I7 › ${product} › given any accepted move › each of its signatures is needed, and only its party's`, (t) => {
    const seen = new Set<string>();
    everyTrace(
      product,
      (trace) => {
        for (const { spend, attempt, accepted, before } of acceptedIn(trace)) {
          const name = `${attempt.call} ${trace.covenant.asset} ${before.state.status}`;
          if (accepted === null || seen.has(name)) continue;
          seen.add(name);
          const slots = slotsOf(spend);
          const signed = signersAt(accepted.built, 0, PEOPLE);
          if (signed.length !== slots.length) throw new Error('the oracle finds other signers');
          for (const slot of slots)
            for (const forgery of forgeries(spend, slot))
              if (isAccepted(forgery)) throw new Error(`${name}: signature ${slot.index} is not needed`);
        }
      },
      15,
    );
    t.true(seen.size >= 5);
  });
}
