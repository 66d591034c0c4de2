import { z } from 'zod';

/** One in force, and the next one while a secret is rotated. */
export const hookSecretsMax = 2;

const headerSchema = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, { error: 'must be the name of a header' })
  .transform((name) => name.toLowerCase());

/** What lets somebody in is no part of a record. */
const unkeptHeaders: readonly string[] = ['authorization', 'cookie', 'proxy-authorization', 'content-type'];

const keptHeaderSchema = headerSchema.refine((name) => !unkeptHeaders.includes(name), {
  error: `must be none of ${unkeptHeaders.join(', ')}`,
});

const common = {
  /** Files with one secret each, read again while the process runs. */
  secretFiles: z
    .array(z.string().regex(/^\/.{1,1000}$/, { error: 'must be an absolute path' }))
    .min(1)
    .max(hookSecretsMax),
};

const keptHeaders = (usual: readonly string[]): z.ZodType<readonly string[], readonly string[] | undefined> =>
  z
    .array(keptHeaderSchema)
    .max(20)
    .default([...usual]);

const defaultWindowSeconds = 300;

/** How the webhooks of a source are signed; `headers` are kept with the record. */
export const hookSchema = z.discriminatedUnion('scheme', [
  z.strictObject({
    scheme: z.literal('shopify'),
    ...common,
    headers: keptHeaders([
      'x-shopify-topic',
      'x-shopify-webhook-id',
      'x-shopify-event-id',
      'x-shopify-shop-domain',
      'x-shopify-api-version',
      'x-shopify-triggered-at',
    ]),
  }),
  z.strictObject({
    scheme: z.literal('square'),
    ...common,
    /** As it stands in Square's settings: it is signed with the body. */
    url: z.url({ protocol: /^https?$/ }),
    headers: keptHeaders(['square-environment', 'square-initial-delivery-timestamp']),
  }),
  z.strictObject({ scheme: z.literal('adyen'), ...common, headers: keptHeaders([]) }),
  z.strictObject({
    scheme: z.literal('stripe'),
    ...common,
    header: headerSchema.default('stripe-signature'),
    windowSeconds: z.int().min(30).max(3_600).default(defaultWindowSeconds),
    headers: keptHeaders([]),
  }),
  z.strictObject({
    scheme: z.literal('hmac'),
    ...common,
    header: headerSchema,
    encoding: z.enum(['hex', 'base64']),
    /** Stands before the signature, as GitHub's `sha256=`. */
    prefix: z.string().max(20).default(''),
    headers: keptHeaders([]),
  }),
]);

/** A signed webhook of a source. */
export type Hook = z.output<typeof hookSchema>;
