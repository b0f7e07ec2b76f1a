/** Tokens from a metadata registry file. Source: BCMR (Bitcoin Cash Metadata Registries). */
import { importMetadataRegistry, type IdentitySnapshot, type MetadataRegistry } from '@bitauth/libauth';
import { z } from 'zod';
import { invalidField } from '../../errors.js';
import { Hex32 } from '../../bch/fields.js';
import { tokenCollection, type TokenRecord } from '../../record/assets.js';
import { defineOperation } from '../../operation/define.js';
import { Decimals, showToken, TokenSymbol, TokenReply, tokenTable } from './token.js';

/** @throws invalid_input */
const readRegistry = (document: unknown): MetadataRegistry => {
  const registry = importMetadataRegistry(document);
  if (typeof registry !== 'string') return registry;
  // Some of its texts are only what broke the library on the way.
  const reason = /TypeError|Invalid JSON/.test(registry) ? '' : `: ${registry}`;
  throw invalidField('registry', `is not a BCMR registry${reason}`);
};

/** The newest snapshot that is in force at `now` (unix seconds). Snapshots are keyed by ISO time. */
const currentSnapshot = (
  history: Readonly<Record<string, IdentitySnapshot>>,
  now: number,
): IdentitySnapshot | null => {
  const inForce = Object.entries(history)
    .map(([time, snapshot]) => ({ milliseconds: Date.parse(time), snapshot }))
    .filter(({ milliseconds }) => milliseconds <= now * 1000)
    .sort((a, b) => b.milliseconds - a.milliseconds);
  return inForce[0]?.snapshot ?? null;
};

type FoundToken = Pick<TokenRecord, 'id' | 'symbol' | 'name' | 'decimals'>;

const FoundToken = z.object({ id: Hex32, symbol: TokenSymbol, name: z.string(), decimals: Decimals });

/** The tokens that a registry describes at `now`. @throws invalid_input when it describes none */
const tokensOf = (registry: MetadataRegistry, now: number): FoundToken[] => {
  const found = Object.values(registry.identities ?? {}).flatMap((history) => {
    const snapshot = currentSnapshot(history, now);
    if (snapshot?.token === undefined) return [];
    const { category, symbol, decimals = 0 } = snapshot.token;
    const token = FoundToken.safeParse({ id: category, symbol, name: snapshot.name.slice(0, 200), decimals });
    return token.success ? [token.data] : [];
  });
  if (found.length > 0) return found;
  throw invalidField('registry', 'describes no token that is in force');
};

export const importRegistry = defineOperation({
  id: 'tokens.import',
  summary: 'Import symbols and decimals from a BCMR registry file',
  description:
    'Tokens that are known already take what the file says; records keep the decimals they were made with.',
  cli: { positional: ['registry'], example: 'tokens import bitcoin-cash-metadata-registry.json' },
  auth: 'none',
  input: z.object({ registry: z.looseObject({}).describe('The registry') }),
  output: z.object({ tokens: z.array(TokenReply), total: z.number() }),
  errors: [],
  run: async ({ registry }, { store, clock }) => {
    const found = tokensOf(readRegistry(registry), clock.wall());
    const records = await store.transaction(async (writer) => {
      const imported: TokenRecord[] = [];
      for (const token of found) {
        const created_at = (await writer.get(tokenCollection, token.id))?.created_at ?? clock.now();
        const record: TokenRecord = { ...token, source: 'imported', created_at };
        writer.put(tokenCollection, record);
        imported.push(record);
      }
      return imported;
    });
    return { tokens: records.map(showToken), total: records.length };
  },
  view: ({ tokens }) => [tokenTable(tokens)],
});
