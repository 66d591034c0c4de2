import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { Clock } from '#platform';
import type { HttpTransport } from './call/http-exchange.js';
import type { DialectRegistry } from './dialect/dialect-registry.js';

export interface ConnectionOptions {
  /**
   * PEM of the authority that signs the partner's certificate; replaces the built-in ones (`WALLET_CA_FILE`). Asked at each
   * request: another answer makes new connections, and lets the old ones finish.
   */
  readonly ca?: (() => string | undefined) | undefined;
  /** `http://[user:password@]host:port`; used for https origins only (`HTTPS_PROXY`). Asked at each request, as `ca`. */
  readonly proxyUrl?: (() => string | undefined) | undefined;
  /** Hosts that are reached past the proxy, as `NO_PROXY` lists them: `partner.example, .internal, 10.0.0.7:8443, *`. */
  readonly noProxy?: string | undefined;
  /** Default `connectionsPerOriginMax`. */
  readonly connectionsMax?: number | undefined;
  /** Default `connectTimeoutMs`. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * How long an idle connection may still be used where the partner gives no keep-alive hint, milliseconds; default
   * `keepAliveIdleMs`. 0: none is used twice, whatever the partner says.
   */
  readonly keepAliveMs?: number | undefined;
}

/** The credentials of the OAuth 2.0 client; asked for again before every token request. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Observes the gateway's token, for logs and metrics. */
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
  /** Carries the requests in place of connections of our own, below axios: a simulation gives its own. */
  readonly transport?: HttpTransport;
  readonly tokenObserver?: TokenObserver;
}

/** Injection token of what the application has configured. */
export const GATEWAY_OPTIONS = Symbol('GatewayOptions');

export const { ConfigurableModuleClass: ConfigurableGateway } = new ConfigurableModuleBuilder<GatewayOptions>({
  optionsInjectionToken: GATEWAY_OPTIONS,
})
  .setClassMethodName('forRoot')
  .build();
