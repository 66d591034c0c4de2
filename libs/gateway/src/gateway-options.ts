import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { Clock, TokenObserver } from '#platform';
import type { HttpTransport } from './call/http-exchange.js';
import type { DialectRegistry } from './dialect/dialect-registry.js';

export interface ConnectionOptions {
  /**
   * PEM of the authority that signs the partner's certificate; replaces the built-in ones (`WALLET_CA_FILE`). Asked at each
   * request: another answer makes new connections, and lets the old ones finish.
   */
  readonly ca?: (() => string | undefined) | undefined;
  /** What we show where the partner asks for a certificate (`WALLET_CERT_FILE`, `WALLET_KEY_FILE`). Asked at each request, as `ca`. */
  readonly certificate?: (() => ClientCertificate | undefined) | undefined;
  /**
   * Default: with a certificate 1.2, else 1.3. By 1.3 a server judges our certificate when a request may be on its way
   * already: refused then, each call would be in doubt.
   */
  readonly tlsVersionMax?: 'TLSv1.2' | 'TLSv1.3' | undefined;
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

/** A certificate and its key, both in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Headers by their names in lower case. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** The credentials of the OAuth 2.0 client; asked for again before every token request. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface GatewayOptions {
  /** `WALLET_BASE_URL`, ends with `/brands`. */
  readonly baseUrl: string;
  /** `WALLET_AUTH_URL`; the dialect's `token.path` is appended. */
  readonly authUrl: string;
  /** `WALLET_SCOPE`. */
  readonly scope: string | null;
  /** Reads the secrets anew each time, so that a rotated file is noticed. May throw: then there is no token. */
  readonly readCredentials: () => ClientCredentials | Promise<ClientCredentials>;
  /**
   * Further headers of each call (`WALLET_HEADERS`), which may be secret: they are put on below axios, where no interceptor,
   * error or evidence sees them, and never in place of a header of ours. Asked at each request.
   */
  readonly callHeaders?: (() => ExtraHeaders) | undefined;
  /** The same of each token request (`WALLET_TOKEN_HEADERS`). */
  readonly tokenHeaders?: (() => ExtraHeaders) | undefined;
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
