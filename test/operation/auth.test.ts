import test from 'ava';
import { addressOfHash } from '../../src/bch/address.js';
import { TreasuryError } from '../../src/errors.js';
import { authenticate, type Credentials } from '../../src/operation/auth.js';
import type { Auth } from '../../src/operation/define.js';
import { alice, bearer, bob, fakeContext } from './fake-context.js';

const context = fakeContext();

const http = (rest: Partial<Extract<Credentials, { kind: 'http' }>>): Credentials => ({
  kind: 'http',
  trustAddressHeader: true,
  ...rest,
});

/** Who the caller is (null: nobody), or the code of the refusal. */
const answer = async (auth: Auth, credentials: Credentials): Promise<string | null> => {
  try {
    return (await authenticate(auth, credentials, context))?.text ?? null;
  } catch (error) {
    if (error instanceof TreasuryError) return String(error.code);
    throw error;
  }
};

const nobody = null;
const refused = 'unauthenticated';

type Expected = readonly [
  none: string | null,
  optional: string | null,
  address: string | null,
  bearer: string | null,
];

const table: readonly (readonly [name: string, credentials: Credentials, expected: Expected])[] = [
  ['nothing', http({}), [nobody, nobody, refused, refused]],
  [
    'nothing, on a daemon that trusts no header',
    http({ trustAddressHeader: false }),
    [nobody, nobody, refused, refused],
  ],
  ['a header', http({ userAddress: alice.text }), [nobody, alice.text, alice.text, refused]],
  [
    'a header that is not trusted',
    http({ userAddress: alice.text, trustAddressHeader: false }),
    [nobody, refused, refused, refused],
  ],
  ['a token', http({ authorization: bearer(alice) }), [nobody, alice.text, alice.text, alice.text]],
  [
    'a token, on a daemon that trusts no header',
    http({ authorization: bearer(alice), trustAddressHeader: false }),
    [nobody, alice.text, alice.text, alice.text],
  ],
  [
    'a header and a token of the same address',
    http({ userAddress: alice.text, authorization: bearer(alice) }),
    [nobody, alice.text, alice.text, alice.text],
  ],
  [
    'a header in the z form and a token of the q form',
    http({ userAddress: alice.tokenText, authorization: bearer(alice), trustAddressHeader: false }),
    [nobody, alice.text, alice.text, alice.text],
  ],
  [
    'a header and a token that disagree',
    http({ userAddress: bob.text, authorization: bearer(alice) }),
    [nobody, 'address_token_mismatch', 'address_token_mismatch', 'address_token_mismatch'],
  ],
  [
    'a token that was not given here',
    http({ authorization: 'Bearer forged' }),
    [nobody, 'invalid_token', 'invalid_token', 'invalid_token'],
  ],
  [
    'a trusted header beside a token that was not given here',
    http({ userAddress: alice.text, authorization: 'Bearer forged' }),
    [nobody, 'invalid_token', 'invalid_token', 'invalid_token'],
  ],
  [
    'another scheme',
    http({ authorization: 'Basic YWxpY2U6cHc=' }),
    [nobody, 'invalid_token', 'invalid_token', 'invalid_token'],
  ],
  [
    'a scheme without a token',
    http({ authorization: 'Bearer ' }),
    [nobody, 'invalid_token', 'invalid_token', 'invalid_token'],
  ],
  [
    'two tokens in one header',
    http({ authorization: `${bearer(alice)} ${bearer(bob)}` }),
    [nobody, 'invalid_token', 'invalid_token', 'invalid_token'],
  ],
  [
    'a header that is no address',
    http({ userAddress: 'alice' }),
    [nobody, 'invalid_address', 'invalid_address', 'invalid_address'],
  ],
  [
    'a header of another network',
    http({ userAddress: addressOfHash(new Uint8Array(20).fill(1), 'mainnet').text }),
    [nobody, 'invalid_address', 'invalid_address', 'invalid_address'],
  ],
  [
    "the operator's wallet",
    { kind: 'operator', address: alice },
    [nobody, alice.text, alice.text, alice.text],
  ],
  ['an operator without a wallet', { kind: 'operator', address: null }, [nobody, nobody, refused, refused]],
];

for (const [name, credentials, expected] of table) {
  for (const [index, auth] of (['none', 'optional', 'address', 'bearer'] as const).entries()) {
    const outcome = expected[index] ?? null;
    const text = outcome === null ? 'nobody' : outcome.includes(':') ? 'the address' : outcome;
    test(`auth › given ${name} where it is ${auth} › it is ${text}`, async (t) => {
      t.is(await answer(auth, credentials), outcome);
    });
  }
}

test('auth › given the scheme in lower case › it is read', async (t) => {
  t.is(
    await answer('bearer', http({ authorization: bearer(alice).replace('Bearer', 'bearer') })),
    alice.text,
  );
});

test('auth › given a header and a token that disagree › both addresses are named', async (t) => {
  const credentials = http({ userAddress: bob.text, authorization: bearer(alice) });
  const error = await t.throwsAsync(authenticate('address', credentials, context), {
    instanceOf: TreasuryError,
  });
  t.like(error.details, { address: bob.text, tokenAddress: alice.text });
});

test('auth › given a header that is not trusted › the refusal asks for a token', async (t) => {
  const credentials = http({ userAddress: alice.text, trustAddressHeader: false });
  const error = await t.throwsAsync(authenticate('address', credentials, context), {
    instanceOf: TreasuryError,
  });
  t.regex(error.message, /Bearer token/);
});

test('auth › given an operator without a wallet › the refusal says how to make one', async (t) => {
  const error = await t.throwsAsync(authenticate('bearer', { kind: 'operator', address: null }, context), {
    instanceOf: TreasuryError,
  });
  t.regex(error.message, /wallet on local.*wallet create main/);
});

test('auth › given a header that is no address › it is named as the field', async (t) => {
  const error = await t.throwsAsync(authenticate('address', http({ userAddress: 'alice' }), context), {
    instanceOf: TreasuryError,
  });
  t.is(error.details['field'], 'x-user-address');
});
