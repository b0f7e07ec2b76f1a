/** The vaults that there are to choose from where somebody is asked for one. */
import type { Around, GuideChoice } from '../../operation/guide.js';
import { displayNumber, BCH_DECIMALS, showNumber } from '../../bch/amount.js';
import { shellLabel } from '../../record/labels.js';
import { mayRead } from './rules.js';
import { vaultCollection, type VaultRecord } from './vault.js';

const choiceOf = ({ id, label, name, status, balance }: VaultRecord): GuideChoice => ({
  value: label === null ? id : shellLabel(label),
  name: `${name}  ${label ?? id}  ${status}, ${showNumber(displayNumber(balance, BCH_DECIMALS))} BCH`,
});

const choose =
  (isOffered: (vault: VaultRecord, around: Around) => boolean) =>
  async (around: Around): Promise<readonly GuideChoice[]> => {
    const { items } = await around.context.store.find(vaultCollection, {
      filter: (vault) => isOffered(vault, around),
    });
    return items.map(choiceOf);
  };

/** Those that whoever asks may read, newest first. */
export const chooseVault = choose((vault, { caller }) => mayRead(vault, caller));

/** Those that whoever asks signs for. */
export const chooseSignedVault = choose(
  ({ signers }, { caller }) => caller !== null && signers.includes(caller.text),
);
