import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import pg from 'pg';
import { startEmbeddedPostgres, waitUntil } from '#embedded';
import type { IssuedCertificate } from '../network/test-authority.js';

/** A real Postgres of our own whose certificate can be changed while it runs. */
export interface TlsPostgres {
  /** At `127.0.0.1`; the user owns the database and may nothing else. */
  readonly url: string;
  /** The same server under its name. */
  readonly namedUrl: string;
  /** From the next connection on; null: it speaks no TLS. */
  useCertificate(certificate: IssuedCertificate | null): Promise<void>;
  /** Whoever does not speak TLS is refused from now on, but for the superuser, who is asked by this process. */
  refuseCleartext(): Promise<void>;
  /** As superuser. */
  query(text: string): Promise<void>;
  stop(): Promise<void>;
}

const reloadTimeoutMs = 10_000;

const query = async (url: string, ...texts: readonly string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
};

/** The server's own user writes it, into the data folder: nobody else may be able to read the key. */
const writeFile = (name: string, content: string): string => {
  const lines = content
    .trimEnd()
    .split('\n')
    .map((line) => `('${line}')`);
  return `COPY (SELECT * FROM (VALUES ${lines.join(', ')}) AS file (line)) TO PROGRAM 'umask 077; /bin/cat > ${name}'`;
};

/** As managed services have it, once TLS is forced. */
const hbaLines = [`host all postgres 127.0.0.1/32 scram-sha-256`, `hostssl all all 127.0.0.1/32 scram-sha-256`];

const isRefused = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return false;
  } catch (error) {
    if ((error as pg.DatabaseError).code === '28000') return true;
    throw error;
  } finally {
    await client.end();
  }
};

/** What the server shows whoever asks for TLS now; null: none. */
const shownBy = async (url: string): Promise<string | null> => {
  const client = new pg.Client({ connectionString: url, ssl: { rejectUnauthorized: false } });
  try {
    await client.connect();
    const { stream } = (client as unknown as { readonly connection: { readonly stream: TLSSocket } }).connection;
    return stream.getPeerX509Certificate()?.fingerprint256 ?? null;
  } catch (error) {
    if ((error as Error).message.includes('does not support SSL')) return null;
    throw error;
  } finally {
    await client.end();
  }
};

/**
 * From the next connection on the server shows it; null: it speaks no TLS.
 * @param server `adminUrl`: as superuser; `url`: by whom it is looked for
 */
export const useCertificate = async (
  { url, adminUrl }: { readonly url: string; readonly adminUrl: string },
  certificate: IssuedCertificate | null,
): Promise<void> => {
  const files =
    certificate === null ? [] : [writeFile('server.crt', certificate.cert), writeFile('server.key', certificate.key)];
  const isOn = certificate === null ? 'off' : 'on';
  await query(adminUrl, ...files, `ALTER SYSTEM SET ssl = ${isOn}`, 'SELECT pg_reload_conf()');
  const wanted = certificate === null ? null : new X509Certificate(certificate.cert).fingerprint256;
  const what = 'the server to show its new certificate';
  await waitUntil(async () => (await shownBy(url)) === wanted, { what, timeoutMs: reloadTimeoutMs });
};

/** @param options `durable`: nothing is traded for speed; `settings`: further ones, each `name=value` */
export const startTlsPostgres = async (
  options: { readonly durable?: boolean; readonly settings?: readonly string[] } = {},
): Promise<TlsPostgres> => {
  const { url, adminUrl, stop } = await startEmbeddedPostgres({
    database: 'loyaltyd',
    durable: false,
    maxConnections: 50,
    ...options,
  });
  const named = new URL(url);
  named.hostname = 'localhost';
  return {
    url,
    namedUrl: named.href,
    query: (text) => query(adminUrl, text),
    refuseCleartext: async () => {
      await query(adminUrl, writeFile('pg_hba.conf', hbaLines.join('\n')), 'SELECT pg_reload_conf()');
      await waitUntil(() => isRefused(url), { what: 'the server to want TLS', timeoutMs: reloadTimeoutMs });
    },
    useCertificate: (certificate) => useCertificate({ url, adminUrl }, certificate),
    stop,
  };
};
