/** Keys as whoever makes them gets them: over HTTP, proven by a token, where the address header proves nothing. */
import type { ExecutionContext } from 'ava';
import { alice, bob, type Person } from '../../fixtures/people.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { serve, type Answer, type Json, type ServeOptions, type Served } from '../acceptance/client.js';

export type Keys = {
  readonly treasury: Treasury;
  readonly served: Served;
  /** A key of a person; its text. */
  readonly make: (who: Person, terms: Json) => Promise<string>;
  /** Asks with a key. */
  readonly ask: (key: string, method: string, path: string, body?: Json) => Promise<Answer>;
  readonly tokenOf: (who: Person) => Promise<string>;
};

/** A treasury that is served to others than this machine. */
export const openKeys = async (t: ExecutionContext, options: ServeOptions = {}): Promise<Keys> => {
  const treasury = await openTreasury(t);
  const given = { trustAddressHeader: false, naming: 'given', ...options } as const;
  const served = await serve(t, treasury, given);
  const proving =
    options.requireKeys === true ? await serve(t, treasury, { ...given, requireKeys: false }) : served;
  const tokens = new Map<string, string>();
  const tokenOf = async (who: Person): Promise<string> => {
    const known = tokens.get(who.name) ?? (await proving.logIn(who));
    tokens.set(who.name, known);
    return known;
  };
  let made = 0;
  return {
    treasury,
    served,
    tokenOf,
    make: async (who, terms) => {
      made += 1;
      const asked = { name: `key-${made}`, ...terms };
      const { status, body } = await proving.call('POST', '/api/keys', asked, { token: await tokenOf(who) });
      t.is(status, 201, JSON.stringify(body));
      return String(body['key']);
    },
    ask: (key, method, path, body) => served.call(method, path, body, { token: key }),
  };
};

export { alice, bob };
