/** The embedded chain, and the records in a PostgreSQL database of the test's own. */
import { localWorld, type ChainWorld } from '../chain-world.js';
import { makeTreasuryDatabase } from '../postgres/database.js';
import { testServer } from '../postgres/server.js';

const server = await testServer();

/** Why no test runs on PostgreSQL here; null: they do. */
export const whyNoPostgres: string | null = 'missing' in server ? server.missing : null;

export const postgresWorld: ChainWorld = {
  ...localWorld,
  name: 'on PostgreSQL',
  open: async (t) => ({
    ...(await localWorld.open(t)),
    database: { url: await makeTreasuryDatabase(t), connections: 6 },
  }),
};
