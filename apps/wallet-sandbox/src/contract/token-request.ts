import { z } from 'zod';

/** Form of the token request (partner-api.md section 5), as far as it must be readable at all. */
export const tokenRequestSchema = z.looseObject({
  grant_type: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  scope: z.string().optional(),
});

export type TokenRequest = z.output<typeof tokenRequestSchema>;

/** Answer to a token request (partner-api.md section 5.4). */
export const tokenAnswerSchema = z.object({
  access_token: z.string(),
  expires_in: z.int(),
  token_type: z.literal('Bearer'),
});

export type TokenAnswer = z.output<typeof tokenAnswerSchema>;
