import type { TestDatabase } from '#test-support';

import { queryOnce } from './store.js';

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function inServer(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Everybody who is connected is thrown out: a copy can be made of nothing else. @returns where the copy is */
export async function copyDatabase({ url, adminUrl }: TestDatabase): Promise<string> {
  const name = nameOf(url);
  const copy = `${name}_copy`;
  const admin = inServer(adminUrl, 'postgres');
  await queryOnce(admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await queryOnce(admin, `CREATE DATABASE "${copy}" TEMPLATE "${name}" OWNER "${new URL(url).username}"`);
  return inServer(url, copy);
}

/** Loses a database, whoever works on it. */
export async function dropDatabase(url: string): Promise<void> {
  await queryOnce(inServer(url, 'postgres'), `DROP DATABASE IF EXISTS "${nameOf(url)}" WITH (FORCE)`);
}
