import { Body, Controller, Headers, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { TokenEndpoint } from '../http/partner-endpoint.js';
import { Refusal } from '../http/refusal.js';
import { TokenSigner } from './token-signer.js';

/** Form of the token request (partner-api.md section 5), as far as it must be readable at all. */
const tokenRequestSchema = z.looseObject({
  grant_type: z.string().optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  scope: z.string().optional(),
  /** Seconds. No field of the partner's: whoever tries how an expired token is refused need not wait for the usual one. */
  expires_in: z.string().optional(),
});

type TokenRequest = z.output<typeof tokenRequestSchema>;

/** Answer to a token request (partner-api.md section 5.4). */
interface TokenAnswer {
  readonly access_token: string;
  readonly expires_in: number;
  readonly token_type: 'Bearer';
}

const formType = 'application/x-www-form-urlencoded';

/** OAuth 2.0 client credentials (partner-api.md section 5); errors as in RFC 6749 section 5.2. */
@Controller('oauth2/token')
export class TokenController {
  constructor(private readonly signer: TokenSigner) {}

  @Post()
  @TokenEndpoint()
  issue(
    @Headers('content-type') contentType: string | undefined,
    @Body({ schema: tokenRequestSchema.optional() }) form: TokenRequest | undefined,
  ): TokenAnswer {
    if (form === undefined || contentType?.startsWith(formType) !== true) {
      refuseToken(400, 'invalid_request', `the request must be ${formType}`);
    }
    if (form.grant_type !== 'client_credentials') {
      refuseToken(400, 'unsupported_grant_type', 'grant_type must be client_credentials');
    }
    if (!this.signer.knows(form.client_id, form.client_secret)) {
      refuseToken(401, 'invalid_client', 'unknown client or wrong secret');
    }
    if ((form.scope ?? '') === '') refuseToken(400, 'invalid_scope', 'scope is required');
    if (!this.signer.allows(form.scope)) refuseToken(400, 'invalid_scope', 'unknown scope');
    const ttlS = this.signer.lifetimeS(Number(form.expires_in));
    return { access_token: this.signer.issue(Date.now(), ttlS), expires_in: ttlS, token_type: 'Bearer' };
  }
}

function refuseToken(status: number, error: string, message: string): never {
  throw new Refusal(status, { error, error_description: message, message });
}

const secretCharsMax = 500;

/** Body of `PUT /__client`. */
const clientChangeSchema = z.strictObject({ clientSecret: z.string().min(1).max(secretCharsMax) });

type ClientChange = z.output<typeof clientChangeSchema>;

/** Gives the client another secret, as the partner's people do; no token is needed. A restart has the configured one. */
@Controller('__client')
export class ClientController {
  constructor(private readonly signer: TokenSigner) {}

  @Put()
  put(@Body({ schema: clientChangeSchema }) { clientSecret }: ClientChange): { readonly message: string } {
    this.signer.rotate(clientSecret);
    return { message: 'Tokens that were had by the secret before are refused from now on' };
  }
}
