import { rebuildLanes } from '#intents';

import { exitOk } from '../lifecycle/exits.js';
import { requireSchema } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

/**
 * `loyaltyd rebuild`: recreates the lanes from the truth tables. Needs `DATABASE_URL`; delivery must be stopped.
 * @returns the exit code
 */
export async function runRebuild(env: NodeJS.ProcessEnv): Promise<number> {
  return databaseCommand(env, {
    name: 'rebuild',
    run: async (connection) => {
      await requireSchema(connection);
      const { lanes, facts } = await rebuildLanes(connection.database, Date.now());
      process.stdout.write(`rebuilt ${lanes} lanes from ${facts} facts\n`);
      return exitOk;
    },
  });
}
