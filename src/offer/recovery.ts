/** The recovery of what lies unexpected at a record's address, where its funder cancels it and its recipient claims it. */
import { z } from 'zod';
import { TxHash } from '../bch/fields.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  RECOVER_ERRORS,
  WITNESS_ERRORS,
  type Action,
  type AnyOperation,
} from '../operation/define.js';
import type { PoolProduct, PoolRecord, Role } from '../record/covenant-product.js';
import { viewConfirmed } from './confirm.js';
import { confirmRecovery, ConfirmRecoverReply } from './confirm-recover.js';
import { chooseStrayFor, offerRecovery, RecoverFields, RecoverReply } from './recover.js';
import type { ErrorCode } from '../errors.js';

/**
 * The operation `<noun>.confirm-recover`.
 *
 * @param by who may ask, signed in; default anybody: the chain is the evidence
 */
export const confirmRecover = <R extends PoolRecord>(product: PoolProduct<R>, by?: Role): AnyOperation => {
  const { noun, route, id, notFound, label } = product;
  return defineOperation({
    id: `${noun}.confirm-recover`,
    summary: 'Confirm on chain that unexpected money was recovered',
    http: { method: 'POST', path: `${route}/:id/confirm-recover` },
    cli: { positional: ['id', 'txHash'] },
    auth: by === undefined ? 'none' : 'bearer',
    input: z.object({ id, txHash: TxHash }),
    output: ConfirmRecoverReply,
    errors: [notFound, ...(by === undefined ? [] : [`not_${by}` as const]), ...CONFIRM_ERRORS],
    run: async (input, context) => {
      if (by !== undefined)
        product.checkRole(await product.find(context.store, input.id), by, context.caller?.text ?? '');
      const record = await product.follow(input.id, context);
      return confirmRecovery(record, label(record), input.txHash, context);
    },
    view: viewConfirmed,
  });
};

/**
 * The operations `<noun>.recover` and `<noun>.confirm-recover`, and the whole step.
 *
 * @param nothing the code for a recipient to whom nothing is due yet
 */
export const defineRecovery = <R extends PoolRecord>(
  product: PoolProduct<R>,
  nothing: Extract<ErrorCode, 'nothing_claimable' | 'nothing_releasable'>,
): Action => {
  const { noun, route, id, notFound, words, funder, strays, labelKind, label: labelOf } = product;
  const { terms: termsOf, due } = strays;
  if (termsOf === undefined || due === undefined)
    throw new Error(`${noun} says nothing of its strays' terms`);
  const [, thing] = words;
  const build = defineOperation({
    id: `${noun}.recover`,
    summary: `Build the transaction that takes unexpected money out of a ${thing}'s address`,
    description: `A second funding, one with a wrong sum, or one by somebody else. For the ${funder} it is cancelled, co-signed by the authority and good for ten minutes; for its recipient it pays ${due}. The ${thing} itself stays as it is.`,
    http: { method: 'POST', path: `${route}/:id/recover` },
    cli: { example: `${noun} recover ${labelKind}-0001` },
    auth: 'address',
    input: z.object({ id, ...RecoverFields }),
    output: RecoverReply,
    errors: [notFound, 'not_sender', 'wrong_state', nothing, ...RECOVER_ERRORS, ...WITNESS_ERRORS],
    run: async (input, context) => {
      // Check: a party asks, and something can be taken out.
      const { caller, network } = context;
      const record = await product.follow(input.id, context);
      const label = labelOf(record);
      const { followed } = product.following(context);
      const rules = { tokenCategory: product.tokenCategory, isState: strays.isState };
      const [sender, recipient] = [product.party(record, funder), product.party(record, 'recipient')];
      const between = { sender: sender.text, recipient: recipient.text };
      const stray = await chooseStrayFor(caller, between, { record, rules, followed, label }, input, context);

      // Build: what its state allows the caller.
      const terms = termsOf(record, stray, network);
      const { authority_pubkey: authorityPublicKey = '' } = record;
      const request = { entityType: product.entityType, id: record.id, authorityPublicKey, stray, terms };
      return offerRecovery(request, caller, context);
    },
  });

  return defineAction({
    build,
    confirm: confirmRecover(product),
    record: product.find,
    verb: 'recover',
    summary: 'Take unexpected money out of the address',
  });
};
