/** The checks of what was deployed: address, parameters, authority and parties. They need no chain. */
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { Finding } from '../../covenant/genesis.js';
import { authorityFindings, type KnownAuthorities } from './authority.js';
import { TreasuryError } from '../../errors.js';
import { deriveAddress, type Deployment } from './deployments.js';

/** Why no address can be derived: a version that this program does not have, or terms that are none. */
const underivable = ({ deployable, record }: Deployment, network: Network): string => {
  try {
    deployable.contract(record, network);
  } catch (error) {
    if (error instanceof TreasuryError) return error.message;
  }
  return 'no contract can be made of these terms';
};

/** The address derived anew from the artifact and the terms, and the parameters that the record lists. */
const addressFindings = (deployment: Deployment, network: Network): readonly Finding[] => {
  const { contract_address: address, constructor_params: listed } = deployment.record;
  const { expectedAddress, artifactMatch } = deriveAddress(deployment, network);
  if (expectedAddress === null) {
    return [{ check: 'address', ok: false, detail: underivable(deployment, network) }];
  }
  const isSame = expectedAddress === address;
  // What matches was compared whole; binding the contract again is most of the work.
  const areListed =
    artifactMatch === 'match' ||
    deployment.deployable.contract(deployment.record, network).constructorParams.join() === listed.join();
  return [
    {
      check: 'address',
      ok: isSame,
      detail: isSame
        ? `artifact and parameters give ${address}`
        : `artifact and parameters give ${expectedAddress}, not ${address}`,
    },
    {
      check: 'constructor parameters',
      ok: areListed,
      detail: `${listed.length} are listed; they must be those that the address was derived from`,
    },
  ];
};

/** The parameters are within their ranges. Source: covenants rule 16. */
const termFindings = ({ deployable, record }: Deployment): readonly Finding[] => {
  try {
    return deployable
      .checkTerms(record)
      .map(({ check, ...rest }) => ({ check: `parameter ${check}`, ...rest }));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ check: 'parameters', ok: false, detail }];
  }
};

const isAddress = (text: string, network: Network): boolean => {
  try {
    return parseAddress(text, network).text === text;
  } catch {
    return false;
  }
};

/** Who has a part in it, by role. */
const partyFindings = ({ deployable, record }: Deployment, network: Network): readonly Finding[] => {
  const parties = Object.entries(deployable.parties(record));
  const detail = parties.map(([role, address]) => `${role} ${address}`).join(', ');
  return [{ check: 'parties', ok: parties.every(([, address]) => isAddress(address, network)), detail }];
};

/** The checks of what was deployed: the contract, its parameters and the parties. */
export const auditTerms = (
  deployment: Deployment,
  network: Network,
  authorities: KnownAuthorities,
): readonly Finding[] => [
  ...addressFindings(deployment, network),
  ...termFindings(deployment),
  ...authorityFindings(deployment.record, authorities),
  ...partyFindings(deployment, network),
];
