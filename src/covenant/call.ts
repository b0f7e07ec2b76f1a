/** Calls of a covenant's functions, whose first arguments are the signer's key and signature. */
import { placeholderPublicKey, placeholderSignature, SignatureTemplate } from 'cashscript';
import type { PoolSpend } from './pool.js';
import type { Witness } from './ticket.js';

type Call = PoolSpend['call'];

/**
 * A key and a signature for the wallet to fill in, then the rest.
 *
 * @example
 * signedCall('claim', 1n).args.length; // 3
 */
export const signedCall = (name: string, ...rest: Call['args']): Call => ({
  name,
  args: [placeholderPublicKey(), placeholderSignature(), ...rest],
});

/**
 * {@link signedCall} with the authority behind the signer, as the witness of time or as who allows it.
 *
 * @example
 * witnessedCall('cancel', witness).args.length; // 4
 */
export const witnessedCall = (
  name: string,
  { authority }: { readonly authority: Pick<Witness['authority'], 'privateKey' | 'publicKey'> },
  ...rest: Call['args']
): Call =>
  // The default type is ALL | UTXOS | FORKID (0x61): the authority signs no other (covenants rule 6).
  signedCall(name, authority.publicKey, new SignatureTemplate(authority.privateKey), ...rest);
