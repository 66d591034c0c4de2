import type { Clock } from '#platform';
import type { DialectRegistry } from './dialect/dialect-registry.js';
import type { ConnectionOptions } from './http/dispatchers.js';
import type { HttpTransport } from './http/http-transport.js';

/** The credentials of the OAuth 2.0 client; asked for again before every token request. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the gateway tells about its token, for logs and metrics. */
export interface TokenObserver {
  obtained(token: { readonly lifetimeMs: number }): void;
  /** `credentials-unreadable`, `answer-unreadable`, `http-401`, `timeout`, ...; never a credential, a token or a body. */
  failed(reason: string): void;
}

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
