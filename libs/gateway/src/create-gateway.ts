import type { Clock } from '#platform';
import { AuthorizedClient, Caller } from './call/caller.js';
import { decoded } from './call/content-coding.js';
import { type ConnectionOptions, Dispatchers, HttpClient } from './call/http-client.js';
import type { HttpTransport } from './call/http-exchange.js';
import { type ClientCredentials, requestToken, type TokenObserver, TokenSource } from './call/token-source.js';
import type { DialectRegistry } from './dialect/dialect-registry.js';
import { responseBodyBytesMax } from './limits.js';
import { WalletPartner } from './operations/wallet-partner.js';
import type { Partner } from './partner.js';

export interface GatewayOptions {
  /** `WALLET_BASE_URL`, ends with `/brands`. */
  readonly baseUrl: string;
  /** `WALLET_AUTH_URL`; `/oauth2/token` is appended. */
  readonly authUrl: string;
  /** `WALLET_SCOPE`. */
  readonly scope: string | null;
  /** Reads the secrets anew each time, so that a rotated file is noticed. May throw: then there is no token. */
  readonly readCredentials: () => ClientCredentials | Promise<ClientCredentials>;
  readonly dialects: DialectRegistry;
  readonly clock: Clock;
  readonly connection?: ConnectionOptions;
  /** Carries the requests in place of connections of our own: a simulation gives its own. */
  readonly transport?: HttpTransport;
  readonly tokenObserver?: TokenObserver;
}

/** The partner, and how to let go of its connections. */
export interface Gateway {
  readonly partner: Partner;
  /** Ends every connection at once; to be called when nothing is under way any more. */
  close(): Promise<void>;
}

/** Wires the gateway without Nest. @throws TypeError when an address is no URL */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, authUrl, scope, readCredentials, baseUrl } = options;
  const { http: wire, close } = openTransport(options);
  const http = decoding(wire);
  const endpoint = { http, clock, authUrl: new URL(authUrl).href, scope, readCredentials };
  const tokens = new TokenSource({ clock, request: () => requestToken(endpoint), observer: options.tokenObserver });
  const client = new AuthorizedClient({ http, tokens, clock, baseUrl });
  const caller = new Caller(client, options.dialects, clock);
  return { partner: new WalletPartner(caller, tokens), close };
}

/** Every answer, of whichever endpoint, without the codings of its body. */
function decoding(wire: HttpTransport): HttpTransport {
  return {
    send: async (request) => decoded(await wire.send(request), request.responseBytesMax ?? responseBodyBytesMax),
  };
}

interface OpenTransport {
  readonly http: HttpTransport;
  readonly close: () => Promise<void>;
}

function openTransport({ transport, connection, clock }: GatewayOptions): OpenTransport {
  if (transport !== undefined) return { http: transport, close: () => Promise.resolve() };
  const dispatchers = new Dispatchers(clock, connection);
  return { http: new HttpClient(dispatchers, clock), close: () => dispatchers.close() };
}
