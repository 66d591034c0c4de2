import { join } from 'node:path';

import type { EmbeddedPostgres } from '#platform';
import { startEmbeddedPostgres } from '#platform';

import type { HouseFolder } from './house-folder.js';

const database = 'loyaltyd';

/** The house's Postgres: durable where its data is kept, fast where nobody will see it again. */
export async function startPostgres({ path, isTemporary }: HouseFolder): Promise<EmbeddedPostgres> {
  if (isTemporary) return startEmbeddedPostgres({ database, durable: false });
  try {
    return await startEmbeddedPostgres({ database, dataDirectory: join(path, 'postgres') });
  } catch (error) {
    const isForbidden = process.getuid?.() === 0 && error instanceof Error && /permission denied/i.test(error.message);
    if (!isForbidden) throw error;
    const advice = `started by root, Postgres runs as another user, who cannot reach ${path}; choose another folder`;
    throw new Error(`${advice}\n${error.message}`, { cause: error });
  }
}
