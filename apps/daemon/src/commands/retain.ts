import type { RetentionPolicy, RetentionReport } from '#intents';
import { planRetention, retain } from '#intents';
import type { PostgresConnection } from '#platform';
import { anchorClock, SystemClock, SystemRandom } from '#platform';

import { reportFailure, exitError, exitNothingMatched, exitOk } from '../lifecycle/exits.js';
import { requireSchema } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

function problemsOf({ lanesDiffering, lanesFailed, failure }: RetentionReport): string[] {
  return [
    ...(lanesDiffering > 0 ? [`${lanesDiffering} lanes are not what their truth says: nothing of them left`] : []),
    ...(lanesFailed > 0 ? [`nothing could leave ${lanesFailed} lanes: ${failure ?? 'unknown error'}`] : []),
  ];
}

function printReport(report: RetentionReport): number {
  const { intents, facts, files, lanesBusy, identities, quarantined, jobs, heldBy } = report;
  const lines = [
    `${intents} intents (${facts} facts) left for ${files.length} files${heldBy === null ? '' : `: ${heldBy}`}`,
    ...files.map((file) => `  ${file}`),
    `${identities} identities forgotten, ${quarantined} records set aside, ${jobs} jobs dropped`,
    ...(lanesBusy > 0 ? [`${lanesBusy} lanes were busy: their intents leave another time`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  const complaints = problemsOf(report);
  return complaints.length === 0 ? exitOk : reportFailure(complaints, exitError);
}

async function printPlan(tools: Parameters<typeof planRetention>[0], { intentDays }: RetentionPolicy): Promise<number> {
  const nothing = { intents: 0, facts: 0, heldBy: null };
  const { intents, facts, heldBy } = intentDays > 0 ? await planRetention(tools, intentDays) : nothing;
  process.stdout.write(`${intents} intents (${facts} facts) would leave${heldBy === null ? '' : `, but ${heldBy}`}\n`);
  return exitOk;
}

async function carryOut(connection: PostgresConnection, policy: RetentionPolicy, isPlan: boolean): Promise<number> {
  await requireSchema(connection);
  const { database } = connection;
  const clock = new SystemClock();
  // A machine that is minutes ahead would take the run from whoever is at it.
  await anchorClock(clock, database);
  if (isPlan) return printPlan({ database, clock }, policy);
  const report = await retain({ database, clock, random: new SystemRandom() }, policy, 0);
  if (report === null) return reportFailure(['another process is at it'], exitNothingMatched);
  return printReport(report);
}

/**
 * `loyaltyd retain`: runs retention now. Needs `DATABASE_URL` and the `RETENTION_*` variables.
 * @returns the exit code: 3 when another process is at it
 */
export async function runRetain(env: NodeJS.ProcessEnv, { plan }: { readonly plan: boolean }): Promise<number> {
  return databaseCommand(env, {
    name: 'retain',
    run: (connection, { retention }) => carryOut(connection, retention, plan),
  });
}
