import type { SchemaRegistryEnvironment } from '#contracts';

/** Who we are to a schema registry. */
export type RegistryLogin =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | {
      readonly kind: 'oauth';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | null;
      /** Confluent Cloud's `target-sr-cluster` and `Confluent-Identity-Pool-Id`. */
      readonly logicalCluster: string | null;
      readonly identityPoolId: string | null;
    };

/** Where a schema registry is, and how it is spoken to. */
export interface RegistrySettings {
  /** Without a trailing slash. */
  readonly url: string;
  readonly login: RegistryLogin;
  /** Authorities in PEM in place of the public ones. */
  readonly ca: string | null;
  /** Of us, in PEM; both or neither. */
  readonly cert: string | null;
  readonly key: string | null;
  /** Of one request, from connecting to its answer. */
  readonly timeoutMs: number;
}

/** What the environment says now. */
export function registrySettings({ login, ca, cert, key, ...rest }: SchemaRegistryEnvironment): RegistrySettings {
  const files = { ca: ca?.value ?? null, cert: cert?.value ?? null, key: key?.value ?? null };
  return { ...rest, ...files, login: loginOf(login) };
}

function loginOf(login: SchemaRegistryEnvironment['login']): RegistryLogin {
  switch (login.kind) {
    case 'none':
      return login;
    case 'basic':
      return { ...login, password: login.password.value };
    case 'oauth':
      return { ...login, clientSecret: login.clientSecret.value };
    default:
      return login satisfies never;
  }
}
