import axios from 'axios';
import { AuthorizedClient, Caller } from './call/caller.js';
import { PartnerWire } from './call/connections.js';
import { axiosOptions, HttpClient, PartnerHttp } from './call/http-client.js';
import { TokenEndpoint, TokenSource } from './call/token-source.js';
import type { GatewayOptions } from './gateway-options.js';
import { WalletPartner } from './operations/wallet-partner.js';
import type { Partner } from './partner.js';

/** The partner, and how to let go of its connections. */
export interface Gateway {
  readonly partner: Partner;
  /** Ends every connection at once; to be called when nothing is under way any more. */
  close(): Promise<void>;
}

/** What `GatewayModule` provides, without Nest. @throws TypeError when an address is no URL */
export function createGateway(options: GatewayOptions): Gateway {
  const wire = new PartnerWire(options);
  const http = new PartnerHttp(axios.create(axiosOptions(wire, options)));
  const tokens = new TokenSource(new TokenEndpoint(wire, options), options);
  const client = new AuthorizedClient(new HttpClient(http, options), tokens, options);
  return { partner: new WalletPartner(new Caller(client, options), tokens), close: () => wire.close() };
}
