/** The compiled contracts. They are committed and packed with the program; `npm run contracts` makes them. */
import { createRequire } from 'node:module';
import type { Artifact } from 'cashscript';

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

const require = createRequire(import.meta.url);
const loaded = new Map<ArtifactName, Artifact>();

/** The compiled contract of that name, read once. The path holds from `src/covenant` and from `dist/covenant`. */
export const loadArtifact = (name: ArtifactName): Artifact => {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const artifact = require(`../../contracts/artifacts/${name}.json`) as Artifact;
  loaded.set(name, artifact);
  return artifact;
};
