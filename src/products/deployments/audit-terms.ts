/** The checks of what was deployed: address, parameters, authority and parties. They need no chain. */
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { Finding } from '../../covenant/genesis.js';
import { authorityFindings, type KnownAuthorities } from './authority.js';
import { messageOf } from '../../errors.js';
import type { KnownRecord } from '../../record/known-record.js';
import { deriveAddress } from './deployments.js';

/** The address derived anew from the artifact and the terms, and the parameters that the record lists. */
const addressFindings = (deployment: KnownRecord, network: Network): readonly Finding[] => {
  const { contract_address: address, constructor_params: listed } = deployment.record;
  const { expectedAddress, areListed, fault } = deriveAddress(deployment, network);
  if (expectedAddress === null) return [{ check: 'address', ok: false, detail: fault }];
  const isSame = expectedAddress === address;
  return [
    {
      check: 'address',
      ok: isSame,
      detail: `artifact and parameters give ${expectedAddress}${isSame ? '' : `, not ${address}`}`,
    },
    {
      check: 'constructor parameters',
      ok: areListed,
      detail: `${listed.length} are listed; they must be those that the address was derived from`,
    },
  ];
};

/** The parameters are within their ranges. Source: docs/design/covenants.md, rule 16. */
const termFindings = ({ deployable, record }: KnownRecord): readonly Finding[] => {
  try {
    return deployable
      .checkTerms(record)
      .map(({ check, ...rest }) => ({ check: `parameter ${check}`, ...rest }));
  } catch (error) {
    return [{ check: 'parameters', ok: false, detail: messageOf(error) }];
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
const partyFindings = ({ deployable, record }: KnownRecord, network: Network): readonly Finding[] => {
  const parties = Object.entries(deployable.parties(record));
  const detail = parties.map(([role, address]) => `${role} ${address}`).join(', ');
  return [{ check: 'parties', ok: parties.every(([, address]) => isAddress(address, network)), detail }];
};

/** The checks of what was deployed: the contract, its parameters and the parties. */
export const auditTerms = (
  deployment: KnownRecord,
  network: Network,
  authorities: KnownAuthorities,
): readonly Finding[] => [
  ...addressFindings(deployment, network),
  ...termFindings(deployment),
  ...authorityFindings(deployment.record, authorities),
  ...partyFindings(deployment, network),
];
