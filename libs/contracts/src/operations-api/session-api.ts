import { z } from 'zod';
import { timeSchema } from './common.js';

/** What `GET /console` answers: all that a login page needs to know. */
export const consoleViewSchema = z.object({
  version: z.string().describe('Of the product.'),
  oidc: z
    .object({
      issuer: z.string().describe('Without a slash at its end; its discovery document lies below it.'),
      clientId: z.string(),
      scope: z.string(),
    })
    .nullable()
    .describe('Who logs people in, by the authorization code flow with PKCE; null: the console takes tokens only.'),
});

export type ConsoleView = z.output<typeof consoleViewSchema>;

/** What `GET /me` answers. */
export const meViewSchema = z.object({
  name: z.string().describe('As the audit has it.'),
  role: z.enum(['viewer', 'operator', 'admin']),
  subject: z.string().nullable().describe('Issuer and `sub`; null: the token is one of OPS_TOKENS.'),
  limitedTo: z.array(z.string()).nullable().describe('The programs that the token is limited to; null: all.'),
  readOnly: z.boolean().describe('Nobody may change anything (OPS_READ_ONLY).'),
  expiresAt: timeSchema.nullable().describe('When the token ends; null: never by itself.'),
  docsUrl: z
    .string()
    .nullable()
    .describe(
      'Below which the pages of `docs/` are, with a slash at its end (OPS_DOCS_URL); null: nobody has said it.',
    ),
});

export type MeView = z.output<typeof meViewSchema>;

const codeCharsMax = 256;

/** The body of `POST /login-links/redeem`. */
export const linkRedemptionSchema = z.strictObject({
  code: z.string().min(1).max(codeCharsMax).describe('What stands behind `#code=` in the address that was printed.'),
});

export const redeemedLinkSchema = z.object({ token: z.string() });

export type RedeemedLink = z.output<typeof redeemedLinkSchema>;
