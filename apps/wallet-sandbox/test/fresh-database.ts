import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface FreshDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/** An empty database of this spec's own: on the server of `DATABASE_URL`, else on an embedded one. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const name = `sandbox_${randomUUID().replaceAll('-', '')}`;
  const server = process.env['DATABASE_URL'] ?? '';
  if (server === '') {
    const { startEmbeddedPostgres } = await import('#platform');
    return startEmbeddedPostgres({ database: name, durable: false });
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  await administer(server, `CREATE DATABASE ${name}`);
  return { url: url.href, stop: () => administer(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function administer(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
