import { Body, Controller, Headers, Post } from '@nestjs/common';
import {
  type TokenAnswer,
  tokenAnswerSchema,
  type TokenRequest,
  tokenRequestSchema,
} from '../contract/token-request.js';
import { TokenEndpoint } from '../http/partner-endpoint.js';
import { Refusal } from '../http/refusal.js';
import { TokenSigner } from './token-signer.js';

const formType = 'application/x-www-form-urlencoded';

/** OAuth 2.0 client credentials (partner-api.md section 5); errors as in RFC 6749 section 5.2. */
@Controller('oauth2/token')
export class TokenController {
  constructor(private readonly signer: TokenSigner) {}

  @Post()
  @TokenEndpoint({ section: '5', summary: 'Get an access token', answer: tokenAnswerSchema })
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
    return { access_token: this.signer.issue(Date.now()), expires_in: this.signer.ttlS, token_type: 'Bearer' };
  }
}

function refuseToken(status: number, error: string, message: string): never {
  throw new Refusal(status, { error, error_description: message, message });
}
