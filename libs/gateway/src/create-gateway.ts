import type { GatewayOptions } from './gateway-options.js';
import { createHttpService } from './http/create-http-service.js';
import { Dispatchers } from './http/dispatchers.js';
import { HttpClient } from './http/http-client.js';
import type { HttpTransport } from './http/http-transport.js';
import type { Partner } from './partner.js';
import { requestToken } from './token/token-request.js';
import { TokenChecker } from './token/token-checker.js';
import { TokenSource } from './token/token-source.js';
import { AuthorizedClient } from './wallet/authorized-client.js';
import { Caller } from './wallet/caller.js';
import { PassReader } from './wallet/pass-reader.js';
import { WalletPartner } from './wallet/wallet-partner.js';

/** The partner, and how to let go of its connections. */
export interface Gateway {
  readonly partner: Partner;
  /** Ends every connection at once; to be called when nothing is under way any more. */
  close(): Promise<void>;
}

/** Wires the gateway without Nest. @throws TypeError when an address is no URL */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, authUrl, scope, readCredentials, baseUrl } = options;
  const { http, close } = openTransport(options);
  const endpoint = { http, clock, authUrl: new URL(authUrl).href, scope, readCredentials };
  const tokens = new TokenSource({ clock, request: () => requestToken(endpoint), observer: options.tokenObserver });
  const client = new AuthorizedClient({ http, tokens, clock, baseUrl });
  const caller = new Caller(client, options.dialects, clock);
  const parts = { caller, reader: new PassReader(caller), tokens: new TokenChecker(tokens, clock) };
  return { partner: new WalletPartner(parts), close };
}

interface OpenTransport {
  readonly http: HttpTransport;
  readonly close: () => Promise<void>;
}

function openTransport({ transport, connection, clock }: GatewayOptions): OpenTransport {
  if (transport !== undefined) return { http: transport, close: () => Promise.resolve() };
  const dispatchers = new Dispatchers(connection);
  return { http: new HttpClient(createHttpService(dispatchers, clock)), close: () => dispatchers.close() };
}
