import type { TestAuthority } from '#test-support';

type Entries = Readonly<Record<string, string>>;

/** Secrets by name: those of the servers, and those of the release. */
export interface CertificateSecrets {
  readonly infra: Readonly<Record<'kafka-tls' | 'postgres-tls', Entries>>;
  readonly release: Readonly<Record<'authorities' | 'kafka-login', Entries>>;
}

/**
 * What Kafka and Postgres show, what the release shows to Kafka, and whom each trusts.
 * @param issuer signs them all
 * @param also an authority that is still trusted, or trusted already
 */
export function certificateSecrets(namespace: string, issuer: TestAuthority, also?: TestAuthority): CertificateSecrets {
  const trusted = [issuer, ...(also === undefined ? [] : [also])].map(({ certificate }) => certificate).join('');
  const serverOf = (name: string): Entries => {
    const { cert, key } = issuer.issue({ hosts: [`${name}.${namespace}`] });
    return { 'tls.crt': cert, 'tls.key': key, 'keystore.pem': `${key}${cert}`, 'ca.crt': trusted };
  };
  const login = issuer.issue({ hosts: ['loyaltyd'] });
  return {
    infra: { 'kafka-tls': serverOf('kafka'), 'postgres-tls': serverOf('postgres') },
    release: { authorities: { 'ca.crt': trusted }, 'kafka-login': { 'tls.crt': login.cert, 'tls.key': login.key } },
  };
}
