export const ROLES = ['ingest', 'delivery', 'operations', 'door'] as const;
export type Role = (typeof ROLES)[number];

/** What a process does where nothing is set: the door is opened by who wants it open. */
export const DEFAULT_ROLES: readonly Role[] = ['ingest', 'delivery', 'operations'];

/** The topics of an installation (`KAFKA_TOPIC_*`). */
export interface TopicNames {
  readonly members: string;
  readonly purchases: string;
  readonly rewards: string;
  /** `null`: switched off with `none`. */
  readonly outcomes: string | null;
  readonly audit: string | null;
  readonly deadLetter: string | null;
}

/** What they are called where nothing is set. */
export const DEFAULT_TOPICS = {
  members: 'loyalty.members',
  purchases: 'loyalty.purchases',
  rewards: 'loyalty.rewards',
  outcomes: 'loyalty.outcomes',
  audit: 'loyalty.audit',
  deadLetter: 'loyalty.dead-letter',
} as const satisfies TopicNames;

/** What one record batch may grow to where nothing is set. */
export const DECOMPRESSED_BYTES_MAX = 64 * 1024 * 1024;

export interface KafkaEnvironment {
  readonly brokers: readonly string[];
  readonly groupId: string;
  readonly startFrom: { readonly kind: 'earliest' | 'latest' } | { readonly kind: 'time'; readonly timeMs: number };
  readonly topics: TopicNames;
  readonly deadLetterValue: 'original' | 'none';
  /** What one record batch may grow to when it is decompressed. */
  readonly decompressedBytesMax: number;
  /** `null`: plain text. */
  readonly ssl: { readonly ca: PemFile | null; readonly cert: PemFile | null; readonly key: PemFile | null } | null;
  readonly sasl: SaslEnvironment | null;
}

export type SaslEnvironment =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: Secret;
    }
  | {
      readonly mechanism: 'oauthbearer';
      /** A token that somebody else renews, or how to get one. */
      readonly token: Secret | TokenClientEnvironment;
      /** What brokers are told beside the token. */
      readonly extensions: Readonly<Record<string, string>>;
    };

/** An OAuth 2.0 client that gets its tokens by client credentials. */
export interface TokenClientEnvironment {
  readonly url: string;
  readonly clientId: Secret;
  readonly clientSecret: Secret;
  readonly authenticateBy: 'basic' | 'form';
  readonly scope: string | null;
  readonly audience: string | null;
  readonly ca: PemFile | null;
  readonly timeoutMs: number;
}

/** A secret's value now, and the file to read it from again when it came by `NAME_FILE`. */
export interface Secret {
  readonly value: string;
  readonly file: string | null;
}

/** What a PEM file holds now. */
export interface PemFile {
  readonly value: string;
  readonly file: string;
}

export interface DatabaseEnvironment {
  readonly url: Secret;
  readonly poolSize: number;
  /** What the operations API reads with: its own connections, and how long a statement on one may take. */
  readonly reading: { readonly poolSize: number; readonly statementMsMax: number };
  readonly ssl: 'disable' | 'require' | 'verify-full';
  readonly sslCa: PemFile | null;
}

/** A key of 32 bytes as it is, or wrapped by Vault: text that only its transit engine opens. */
export type EncryptionKey = Uint8Array | WrappedKey;

export interface WrappedKey {
  /** `vault:v1:...` */
  readonly wrapped: string;
}

/** The transit engine of a Vault or OpenBao that opens wrapped keys. */
export interface VaultEnvironment {
  /** Without a trailing slash. */
  readonly address: string;
  readonly namespace: string | null;
  /** Where the engine is mounted. */
  readonly mount: string;
  /** The name of its key. */
  readonly keyName: string;
  /** What the key is derived from, where it is a derived one. */
  readonly context: string | null;
  readonly login:
    | { readonly kind: 'token'; readonly token: Secret }
    | { readonly kind: 'kubernetes'; readonly mount: string; readonly role: string; readonly jwt: Secret };
  readonly ca: PemFile | null;
  readonly timeoutMs: number;
}

/** A schema registry for the formats that need one. */
export interface SchemaRegistryEnvironment {
  /** Without a trailing slash. */
  readonly url: string;
  readonly login:
    | { readonly kind: 'none' }
    | { readonly kind: 'basic'; readonly username: string; readonly password: Secret }
    | {
        readonly kind: 'oauth';
        readonly tokenUrl: string;
        readonly clientId: string;
        readonly clientSecret: Secret;
        readonly scope: string | null;
        /** Confluent Cloud's, of the registry and of the pool that we belong to. */
        readonly logicalCluster: string | null;
        readonly identityPoolId: string | null;
      };
  readonly ca: PemFile | null;
  /** Of us; both or neither. */
  readonly cert: PemFile | null;
  readonly key: PemFile | null;
  readonly timeoutMs: number;
}

export interface WalletEnvironment {
  /** Ends with `/brands`, without a trailing slash. */
  readonly baseUrl: string;
  /** Without a trailing slash; the dialect's `token.path` is added by the gateway. */
  readonly authUrl: string;
  readonly clientId: Secret;
  readonly clientSecret: Secret;
  readonly scope: string;
  readonly timeoutMs: number;
  /** How long an idle connection to the partner may still be used, unless it says so itself; 0: none is used twice. */
  readonly keepAliveMs: number;
  readonly ca: PemFile | null;
  /** What we show where the partner asks for a certificate; both or none. */
  readonly cert: PemFile | null;
  readonly key: PemFile | null;
  /** `null`: 1.2 with a certificate, else 1.3. */
  readonly tlsVersionMax: '1.2' | '1.3' | null;
  /** Texts of `extraHeadersOf`: of each call, of each token request. */
  readonly headers: Secret | null;
  readonly tokenHeaders: Secret | null;
  readonly environment: 'sandbox' | 'production';
}

export interface OperatorToken {
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  /** SHA-256 of the token, 64 lower-case hex digits. */
  readonly sha256: string;
  /** The programs that it may know of, by their names in the programs file; absent: all. */
  readonly programs?: readonly string[];
}

/** Lets a shop write events by HTTP, and do nothing else. */
export interface ProducerToken {
  readonly name: string;
  /** SHA-256 of the token, 64 lower-case hex digits. */
  readonly sha256: string;
  /** The sources that it may speak for, by their names. */
  readonly sources: readonly string[];
  /** The event types that it may send; absent: all of its sources. */
  readonly types?: readonly string[];
}

/** The identity provider whose tokens the operations API takes besides `OPS_TOKENS`. */
export interface OidcEnvironment {
  /** Without a trailing slash, whether the provider's own name for itself has one or not. */
  readonly issuer: string;
  readonly audience: string;
  /** Name of the claim that holds the role, or the path to it with dots. */
  readonly roleClaim: string;
  /** The claim that names the programs which its bearer may know of; null: all. */
  readonly programsClaim: string | null;
  /** Ids of the clients whose tokens are taken; empty: any. */
  readonly clients: readonly string[];
  /** As which client the console logs people in; null: it does not. */
  readonly console: { readonly clientId: string; readonly scope: string } | null;
}

export interface OperationsEnvironment {
  readonly host: string;
  readonly port: number;
  /** Starts with `/`, has no trailing slash except when it is `/`. */
  readonly basePath: string;
  readonly tokens: readonly OperatorToken[];
  readonly producers: readonly ProducerToken[];
  readonly oidc: OidcEnvironment | null;
  readonly readOnly: boolean;
  /** `token`: of any role. */
  readonly metrics: 'open' | 'token' | 'off';
  /** Proxies that are believed whose requests they pass on: `ADDRESS/PREFIX`. */
  readonly trustedProxies: readonly string[];
  /** Below which the pages of `docs/` of this release can be read, with a slash at its end; null: nobody has said it. */
  readonly docsUrl: string | null;
}

/** To whom notices go, and from when on. At least one of `webhook` and `mail` is there. */
export interface NoticesEnvironment {
  readonly webhook: {
    readonly url: Secret;
    /** Text of `noticeKeysOf`: each key signs. */
    readonly secret: Secret;
  } | null;
  readonly mail: {
    readonly relay: MailRelay;
    readonly from: string;
    readonly to: readonly string[];
  } | null;
  /** Authorities of both in PEM; null: the public ones. */
  readonly ca: PemFile | null;
  /** The console's public address, without a trailing slash. */
  readonly consoleUrl: string;
  /** So many intents of a program that nobody can tell of are noticed. */
  readonly doubts: number;
  /** By currency, from which amount on held money of a program is noticed: exact decimal text. */
  readonly money: Readonly<Record<string, string>>;
  /** For how long doubts and held money have to last. */
  readonly ageMinutes: number;
  /** One notice in so many minutes, at most. */
  readonly everyMinutes: number;
}

/** A mail relay, from its `smtp://` or `smtps://` address. */
export interface MailRelay {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; else by STARTTLS. */
  readonly isTls: boolean;
  /** Without TLS nothing is sent. */
  readonly needsTls: boolean;
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** For how long what is kept; days, 0: for ever. */
export interface RetentionEnvironment {
  /** Delivered and cancelled intents. */
  readonly intentDays: number;
  /** Identities of which no intent is left. */
  readonly dedupDays: number;
  /** Records set aside that are settled. */
  readonly quarantineDays: number;
  /** The bytes of records set aside before they were mapped. */
  readonly unmappedDays: number;
  /** Jobs and replays that are over. */
  readonly jobDays: number;
  /** The audit of what has left. */
  readonly auditDays: number;
  /** What erased members are recognised by. */
  readonly erasedDays: number;
  /** Whether dead letters are published. */
  readonly hasDeadLetters: boolean;
}

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface ProcessEnvironment {
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly shutdownGraceMs: number;
  /** May carry user and password. */
  readonly httpsProxy: Secret | null;
  /** Hosts that are reached past the proxy, separated by commas or spaces. */
  readonly noProxy: string | null;
}

/** Where traces go, and which of them. */
export interface TracingEnvironment {
  /** Without a trailing slash; `/v1/traces` is added. */
  readonly endpoint: string;
  /** Text of `parsePairs`. */
  readonly headers: Secret | null;
  readonly serviceName: string | null;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly sampling: {
    readonly kind: 'always-on' | 'always-off' | 'ratio';
    readonly ratio: number;
    readonly isParentBased: boolean;
  };
}

/**
 * Everything of contracts.md section 3, validated. A part that no role of this process uses is `null` unless it is
 * set all the same.
 */
export interface Environment {
  readonly roles: readonly Role[];
  readonly kafka: KafkaEnvironment | null;
  readonly database: DatabaseEnvironment | null;
  readonly schemaRegistry: SchemaRegistryEnvironment | null;
  readonly wallet: WalletEnvironment | null;
  /** Path of the programs file. */
  readonly programsFile: string;
  /** Path of a YAML file that is the section `sources` of the programs file. */
  readonly sourcesFile: string | null;
  /** Path of a YAML file. It also decides what a programs file may ask for, so every role reads it. */
  readonly dialectFile: string | null;
  /** The first encrypts, all decrypt. `null` only where no role needs it. */
  readonly encryptionKeys: readonly EncryptionKey[] | null;
  /** `null`: no key is wrapped. */
  readonly vault: VaultEnvironment | null;
  readonly operations: OperationsEnvironment;
  readonly retention: RetentionEnvironment;
  /** `null`: nobody is told. */
  readonly notices: NoticesEnvironment | null;
  readonly process: ProcessEnvironment;
  /** `null`: nothing is traced. */
  readonly tracing: TracingEnvironment | null;
  /** What leaves this machine unencrypted, and to whom: by its name in `ALLOW_CLEARTEXT`, and a proxy's password. */
  readonly cleartext: Readonly<Record<string, string>>;
  /** Secrets that anybody could guess, used all the same beside a partner of one's own: why, by their variable. */
  readonly guessable: Readonly<Record<string, 'published' | 'not random'>>;
}
