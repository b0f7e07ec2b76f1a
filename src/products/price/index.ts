/** The latest price of BCH, signed by an oracle where possible. */
import { showDate } from '../../bch/show-date.js';
import { z } from 'zod';
import { defineOperation, type Offer } from '../../operation/define.js';
import type { PriceQuote } from '../../operation/ports/price.js';

/** A price reading. Source: docs/design/api.md. */
const PriceReply = z.object({
  usd: z.number().describe('USD per 1 BCH'),
  source: z.enum(['oracle', 'coingecko']),
  oraclePubkey: z.string().optional().describe('Compressed public key, with source oracle'),
  messageTimestamp: z.number().optional().describe('Unix seconds, with source oracle'),
  signedMessageHex: z
    .string()
    .optional()
    .describe(
      'What the oracle signed: four little-endian 32-bit fields (time, message number, price number, USD cents)',
    ),
  signatureHex: z.string().optional().describe('Schnorr signature over the sha256 of signedMessageHex'),
  updatedAt: z.number().describe('Unix milliseconds of the fetch'),
  cachedFor: z.number().describe('Milliseconds until another one is fetched'),
});

const showQuote = ({ proof, ...quote }: PriceQuote): z.output<typeof PriceReply> => ({
  ...quote,
  ...(proof === null
    ? {}
    : {
        oraclePubkey: proof.publicKey,
        messageTimestamp: proof.messageTimestamp,
        signedMessageHex: proof.messageHex,
        signatureHex: proof.signatureHex,
      }),
});

const SOURCES = { oracle: 'a signed oracle message', coingecko: 'the public price API, unsigned' } as const;

const timeOf = (milliseconds: number): string => showDate(Math.floor(milliseconds / 1000));

export const show = defineOperation({
  id: 'price.show',
  summary: 'Show the latest price of BCH in USD, and the signature that proves it',
  http: {
    method: 'GET',
    path: '/api/price/bch-usd',
    headers: ({ cachedFor }) => ({
      'cache-control': `public, max-age=${Math.floor(Number(cachedFor) / 1000)}`,
    }),
  },
  cli: { verb: 'price' },
  auth: 'none',
  input: z.object({}),
  output: PriceReply,
  errors: ['price_unavailable'],
  run: async (_, { price }) => showQuote(await price.latest()),
  view: (reply) => [
    { kind: 'text', text: `1 BCH = ${reply.usd.toFixed(2)} USD` },
    {
      kind: 'facts',
      rows: [
        ['Source', SOURCES[reply.source]],
        ...(reply.messageTimestamp === undefined
          ? []
          : [['Signed at', timeOf(reply.messageTimestamp * 1000)] as const]),
        ...(reply.oraclePubkey === undefined ? [] : [['Signed by', reply.oraclePubkey] as const]),
        ...(reply.signedMessageHex === undefined ? [] : [['Message', reply.signedMessageHex] as const]),
        ...(reply.signatureHex === undefined ? [] : [['Signature', reply.signatureHex] as const]),
        ['Fetched', timeOf(reply.updatedAt)],
      ],
    },
  ],
});

export const operations: readonly Offer[] = [show];
