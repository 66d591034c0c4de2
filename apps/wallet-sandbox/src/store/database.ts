import { createDataSource, type Database, type SqlStatement, TypeormDatabase } from '#platform';
import { StderrLogger } from '../http/stderr-logger.js';

/** Names carry the sandbox's prefix: they show up beside the daemon's in one database's statistics. */
export function statement(name: string, text: string): SqlStatement {
  return { name: `sandbox_${name}`, text };
}

/** One for effects, one for lookups, the rest for the ledger's readers. */
const poolSizeMax = 4;
/**
 * Everything is found by key. Without it, a batch looked for its 127 unique values by reading all of them (7 to 18 ms)
 * as long as a young table had no statistics.
 */
const noScans = 'enable_seqscan=off';

export interface OpenDatabase {
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** Connects to Postgres; throws when it cannot be reached. */
export async function openDatabase(url: string): Promise<OpenDatabase> {
  let isClosing = false;
  const dataSource = createDataSource({
    url,
    poolSize: poolSizeMax,
    ssl: false,
    applicationName: 'wallet-sandbox',
    migrations: [],
    serverSettings: [noScans],
    onPoolError: (error) => {
      if (!isClosing) StderrLogger.write('warn', error);
    },
  });
  await dataSource.initialize();
  const close = async (): Promise<void> => {
    isClosing = true;
    await dataSource.destroy();
  };
  return { database: new TypeormDatabase(dataSource), close };
}
