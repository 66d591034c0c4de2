import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { HttpRequest } from '../http/http-exchange.js';
import { refuse } from '../http/refusal.js';
import { TokenSigner } from './token-signer.js';

const scheme = 'Bearer ';

/** 401 for a missing, unknown or expired access token (partner-api.md section 5). */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly signer: TokenSigner) {}

  canActivate(context: ExecutionContext): boolean {
    const header = context.switchToHttp().getRequest<HttpRequest>().headers.authorization ?? '';
    if (!header.startsWith(scheme) || !this.signer.accepts(header.slice(scheme.length), Date.now())) {
      refuse(401, 'Unauthorized');
    }
    return true;
  }
}
