import { z } from 'zod';

/** Form fields of the token request (partner-api.md section 5). `scope` may be absent where none is configured. */
export const tokenFormSchema = z.strictObject({
  grant_type: z.literal('client_credentials'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  scope: z.string().min(1).exactOptional(),
});

/**
 * Answer of the token request. The token must fit into a header; `expires_in` is in seconds, and may be missing or
 * unreadable (RFC 6749 section 5.1 only recommends it).
 */
export const tokenAnswerSchema = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  token_type: z.string().optional().catch(undefined),
});

export type TokenForm = z.infer<typeof tokenFormSchema>;
export type TokenAnswer = z.infer<typeof tokenAnswerSchema>;
