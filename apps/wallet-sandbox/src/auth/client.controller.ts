import { Body, Controller, Put } from '@nestjs/common';
import { type ClientChange, clientChangeSchema } from '../contract/client-change.js';
import { TokenSigner } from './token-signer.js';

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
