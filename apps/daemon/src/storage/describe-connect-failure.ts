import type { ConnectFailureKind, TlsProblem } from '#platform';
import { connectFailure, tlsProblem } from '#platform';

type Wording = readonly [detail: string, remedy: string];

const texts: Readonly<Record<Exclude<ConnectFailureKind, 'tls'>, Wording>> = {
  'unknown-host': ['its host name is not known', 'Check the host in DATABASE_URL, and this machine’s name service.'],
  refused: [
    'nobody listens there',
    'Is Postgres up, and are host and port in DATABASE_URL right? Try `pg_isready -h HOST -p PORT`.',
  ],
  unreachable: [
    'it cannot be reached, or hangs up',
    'Check the network between here and the host in DATABASE_URL: `pg_isready -h HOST -p PORT`.',
  ],
  timeout: [
    'it does not answer',
    'A firewall may swallow packets, or the server is stuck: `pg_isready -h HOST -p PORT`, then the server’s log.',
  ],
  password: [
    'user or password is wrong',
    'Check user and password in DATABASE_URL (or the file behind DATABASE_URL_FILE). Was it rotated?',
  ],
  'no-database': [
    'there is no such database',
    'Check the database in DATABASE_URL, or create it: CREATE DATABASE loyaltyd.',
  ],
  'not-allowed': [
    'this user may not connect from here',
    'pg_hba.conf must let this user in from this address, and with or without TLS as DATABASE_SSL says.',
  ],
  full: [
    'it has no connection left',
    'Other clients hold all of max_connections: see pg_stat_activity. Lower DATABASE_POOL_SIZE, or end what is idle.',
  ],
  starting: ['it is starting or shutting down', 'Wait, and look at the server’s log. Nothing is lost meanwhile.'],
  pooler: [
    'a pooler before it refuses the settings of our sessions',
    'Statements are prepared, settings made and locks held in a session: a pooler that shares sessions, such as PgBouncer, cannot ' +
      'be between. Put the address of Postgres itself into DATABASE_URL; processes pool their connections.',
  ],
  other: ['it refused', 'Look at the server’s log for this moment.'],
};

const tlsTexts: Readonly<Record<TlsProblem, Wording>> = {
  expired: ['its certificate has expired', 'Renew the certificate of the server (ssl_cert_file) and reload it.'],
  'not-yet-valid': [
    'its certificate is not valid yet',
    'Are the clocks of both machines right? Else see ssl_cert_file.',
  ],
  'wrong-host': [
    'its certificate names another host',
    'DATABASE_SSL=verify-full wants the host of DATABASE_URL in the certificate (subjectAltName): use a name that is in it, ' +
      'or issue another one.',
  ],
  'unknown-authority': [
    'its certificate is signed by an authority that we do not know',
    'DATABASE_SSL_CA_FILE must hold the authority that signed the server’s certificate (ssl_cert_file).',
  ],
  'without-tls': [
    'it does not speak TLS',
    'DATABASE_SSL=require and verify-full need a server with ssl=on; or set DATABASE_SSL=disable.',
  ],
  'our-certificate': ['it wants a certificate of ours', 'Certificates of clients are not supported: see pg_hba.conf.'],
  other: [
    'TLS was not agreed on',
    'DATABASE_SSL=require and verify-full need a server with ssl=on; with DATABASE_SSL_CA_FILE also a certificate in date ' +
      'that it signed; verify-full also one that names the host.',
  ],
};

/** What to do when it does not even fail. */
export const timeoutRemedy = texts.timeout[1];

/** Why no connection was made, and what to do about it. Never quotes the error. */
export function describeConnectFailure(error: unknown): { readonly detail: string; readonly remedy: string } {
  const { kind, code } = connectFailure(error);
  const [detail, remedy] = kind === 'tls' ? tlsTexts[tlsProblem(code)] : texts[kind];
  return { detail: `${detail} (${code})`, remedy };
}
