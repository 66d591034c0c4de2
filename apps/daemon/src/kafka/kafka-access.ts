import type { KafkaEnvironment, SaslEnvironment, Secret, TokenClientEnvironment } from '#contracts';
import type { KafkaConnection, KafkaDriver, KafkaLogin } from '#kafka';
import { AccessTokens, ClientCredentials, type Clock, type Logger, SafeError, type TokenRenewal } from '#platform';

type Ssl = NonNullable<KafkaConnection['ssl']>;

/** As brokers show us in logs and quotas; logins and the consumer group tell installations apart. */
const clientId = 'loyaltyd';

/** Between requests for a token while its endpoint fails, in the end. */
const tokenRetryMsMax = 15_000;

/** There is no token for the brokers now; the message is fit for a log. */
export class NoKafkaTokenError extends SafeError {
  override readonly name = 'NoKafkaTokenError';

  constructor(readonly code: string) {
    super(`no token for Kafka (${code})`);
  }
}

function isClient(token: Secret | TokenClientEnvironment): token is TokenClientEnvironment {
  return 'url' in token;
}

/**
 * How this process reaches Kafka: TLS and logins as they are in force whenever a connection is made. All clients of a
 * process share one, so that they share one token.
 */
export class KafkaAccess {
  private readonly tokens: AccessTokens | null;

  /** @param current what is in force */
  constructor(
    readonly driver: KafkaDriver,
    private readonly current: () => KafkaEnvironment | null,
    { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  ) {
    this.tokens = this.tokenClient() === null ? null : this.openTokens(clock, logger);
  }

  /** @throws where Kafka is not configured */
  connection(): KafkaConnection {
    const kafka = this.settings();
    return {
      brokers: [...kafka.brokers],
      clientId,
      ssl: this.tlsOf(kafka),
      ...(kafka.sasl === null ? {} : { sasl: this.loginOf(kafka.sasl) }),
    };
  }

  /** Asks for a new token; null where none is asked for. */
  async renewToken(): Promise<TokenRenewal | null> {
    return this.tokens === null ? null : this.tokens.renew();
  }

  private settings(): KafkaEnvironment {
    const kafka = this.current();
    if (kafka === null) throw new Error('Kafka must be configured');
    return kafka;
  }

  private tokenClient(): TokenClientEnvironment | null {
    const sasl = this.current()?.sasl;
    return sasl?.mechanism === 'oauthbearer' && isClient(sasl.token) ? sasl.token : null;
  }

  private openTokens(clock: Clock, logger: Logger): AccessTokens {
    const endpoint = new ClientCredentials(() => {
      const client = this.tokenClient();
      if (client === null) throw new Error('there is no token endpoint');
      const { clientId: id, clientSecret, ca, ...rest } = client;
      return { ...rest, clientId: id.value, clientSecret: clientSecret.value, ca: ca?.value ?? null };
    });
    const observer = {
      obtained: ({ lifetimeMs }: { readonly lifetimeMs: number }) => {
        logger.info({ lifetimeMs }, 'kafka: token obtained');
      },
      failed: (reason: string) => {
        logger.warn({ reason }, 'kafka: no token to be had, it is asked for again');
      },
    };
    return new AccessTokens(endpoint, { clock, observer, retryDelayMsMax: tokenRetryMsMax });
  }

  /** TLS and login are read again for each connection: accessors let them follow their files. */
  private tlsOf(kafka: KafkaEnvironment): Ssl {
    if (kafka.ssl === null) return false;
    const text = (part: 'ca' | 'cert' | 'key'): string | undefined => this.settings().ssl?.[part]?.value;
    const client = {
      get cert() {
        return text('cert');
      },
      get key() {
        return text('key');
      },
    };
    if (kafka.ssl.ca === null) return kafka.ssl.cert === null ? true : client;
    return Object.defineProperty(client, 'ca', { enumerable: true, get: () => text('ca') });
  }

  private loginOf(sasl: SaslEnvironment): KafkaLogin {
    const now = (): SaslEnvironment => this.settings().sasl ?? sasl;
    if (sasl.mechanism === 'oauthbearer') {
      const { mechanism, extensions } = sasl;
      return { mechanism, extensions, token: () => this.token(now()), refused: (token) => this.tokens?.forget(token) };
    }
    const { mechanism, username } = sasl;
    const password = (): string => {
      const own = now();
      return own.mechanism === 'oauthbearer' ? '' : own.password.value;
    };
    return {
      mechanism,
      username,
      get password() {
        return password();
      },
    };
  }

  private async token(sasl: SaslEnvironment): Promise<string> {
    if (sasl.mechanism === 'oauthbearer' && !isClient(sasl.token)) return sasl.token.value;
    const grant = await this.tokens?.obtainLasting();
    if (grant?.kind === 'token') return grant.value;
    throw new NoKafkaTokenError(grant?.reason ?? 'no-endpoint');
  }
}
