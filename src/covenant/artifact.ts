/**
 * The compiled contracts. They are committed and packed with the program; `npm run contracts` makes them.
 *
 * Money lies in what was deployed, so every published version is kept, by the fingerprint of its bytecode. A record pins
 * the fingerprint of its contract, and all that is done with the record goes by that version.
 */
import { createRequire } from 'node:module';
import { binToHex, sha256, utf8ToBin } from '@bitauth/libauth';
import type { Artifact } from 'cashscript';
import { Hex32 } from '../bch/fields.js';
import { TreasuryError } from '../errors.js';

/** The contracts, by the name of their artifact's file. */
export const ARTIFACT_NAMES = [
  'budget-plan',
  'recurring-payment',
  'reward-campaign',
  'stream',
  'token-reserve',
  'vault',
  'vote-lock',
] as const;

export type ArtifactName = (typeof ARTIFACT_NAMES)[number];

/**
 * The artifact of a contract, by the name that its source gives it: `RewardCampaign`.
 *
 * @example
 * artifactOf('RewardCampaign'); // 'reward-campaign'
 */
export const artifactOf = (contractName: string): ArtifactName | undefined =>
  ARTIFACT_NAMES.find((name) => name.replaceAll('-', '') === contractName.toLowerCase());

/** Fingerprints by the name of the contract, by the version of the program that published them. */
export type PublishedVersions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * sha256 of the compiled bytecode, hex: what tells one version of a contract from another.
 *
 * @example
 * fingerprintOf(loadArtifact('stream')); // newestFingerprint('stream')
 */
export const fingerprintOf = ({ bytecode }: Pick<Artifact, 'bytecode'>): string =>
  binToHex(sha256.hash(utf8ToBin(bytecode)));

const require = createRequire(import.meta.url);
/** The path holds from `src/covenant` and from `dist/covenant`. */
const DIRECTORY = '../../contracts/artifacts/';

type Version = { readonly artifact: Artifact; readonly fingerprint: string };
const newest = new Map<ArtifactName, Version>();
const older = new Map<string, Artifact>();

const newestVersion = (name: ArtifactName): Version => {
  const known = newest.get(name);
  if (known !== undefined) return known;
  const artifact = require(`${DIRECTORY}${name}.json`) as Artifact;
  const version = { artifact, fingerprint: fingerprintOf(artifact) };
  newest.set(name, version);
  return version;
};

/**
 * The fingerprint of the version that new records get.
 *
 * @example
 * newestFingerprint('stream').length; // 64
 */
export const newestFingerprint = (name: ArtifactName): string => newestVersion(name).fingerprint;

const publishedVersions = (): PublishedVersions => require(`${DIRECTORY}published.json`) as PublishedVersions;

/** The first version of the program, which wrote no fingerprints. */
const FIRST = '0.1.0';

/**
 * The field of a record that pins its contract: the fingerprint of its artifact. Null where none was written: the
 * contract is then the one that the first version of the program published.
 *
 * @example
 * ArtifactFingerprint.parse(undefined); // null
 */
export const ArtifactFingerprint = Hex32.nullable().default(null);

/**
 * The fingerprint that a record's field means.
 *
 * @example
 * pinnedFingerprint('stream', coin.txid); // coin.txid
 */
export const pinnedFingerprint = (name: ArtifactName, pinned: string | null): string =>
  pinned ?? publishedVersions()[FIRST]?.[name] ?? '';

/**
 * True for a record of a contract that the first version of the program published.
 *
 * @example
 * isFirstVersion('stream', null); // true
 */
export const isFirstVersion = (name: ArtifactName, pinned: string | null): boolean =>
  pinnedFingerprint(name, pinned) === pinnedFingerprint(name, null);

/**
 * The compiled contract of that name, read once.
 *
 * @param pinned the field of a record, null included; default the newest version
 * @throws unknown_contract_version
 * @example
 * loadArtifact('stream').contractName; // 'Stream'
 * loadArtifact('stream', coin.txid); // throws unknown_contract_version
 */
export const loadArtifact = (name: ArtifactName, pinned?: string | null): Artifact => {
  const present = newestVersion(name);
  if (pinned === undefined || pinned === present.fingerprint) return present.artifact;
  const fingerprint = pinnedFingerprint(name, pinned);
  if (fingerprint === present.fingerprint) return present.artifact;
  const known = older.get(`${name}/${fingerprint}`);
  if (known !== undefined) return known;
  if (!isPublished(name, fingerprint)) {
    throw new TreasuryError('unknown_contract_version', {
      contract: present.artifact.contractName,
      fingerprint,
    });
  }
  const artifact = require(`${DIRECTORY}published/${name}/${fingerprint}.json`) as Artifact;
  older.set(`${name}/${fingerprint}`, artifact);
  return artifact;
};

/**
 * The fingerprints of every version of a contract that this program knows, the newest first.
 *
 * @example
 * versionsOf('vault')[0] === newestFingerprint('vault'); // true
 */
export const versionsOf = (name: ArtifactName): readonly string[] => [
  ...new Set([
    newestFingerprint(name),
    ...Object.values(publishedVersions()).flatMap((fingerprints) => fingerprints[name] ?? []),
  ]),
];

const isPublished = (name: ArtifactName, fingerprint: string): boolean =>
  Object.values(publishedVersions()).some((fingerprints) => fingerprints[name] === fingerprint);
