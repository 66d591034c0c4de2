import type { MaintenanceReport, RetentionPolicy } from '#intents';
import { maintain, planMaintenance } from '#intents';
import type { PostgresConnection } from '#platform';
import { anchorClock, SystemClock } from '#platform';

import { reportFailure, exitError, exitOk } from '../lifecycle/exits.js';
import { requireSchema } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

type Tools = Parameters<typeof maintain>[0];

const heldText = (heldBy: string | null): string => (heldBy === null ? '' : `, but ${heldBy}`);

function printReport(report: MaintenanceReport): number {
  const {
    intents,
    facts,
    lanesBusy,
    lanesDiffering,
    identities,
    erased,
    quarantined,
    unmapped,
    jobs,
    actions,
    heldBy,
  } = report;
  const lines = [
    `${intents} intents (${facts} facts) left${heldText(heldBy)}`,
    `${identities} identities and ${erased} erased members forgotten, ${quarantined} records set aside and ${jobs} jobs dropped, ${actions} actions of the audit`,
    ...(unmapped > 0 ? [`${unmapped} records set aside before they were mapped have lost their bytes`] : []),
    ...(lanesBusy > 0 ? [`${lanesBusy} times a lane was not at rest: what it has leaves another day`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  if (lanesDiffering === 0) return exitOk;
  return reportFailure([`${lanesDiffering} lanes are not what their facts say: nothing of them left`], exitError);
}

async function printPlan(tools: Tools, policy: RetentionPolicy): Promise<number> {
  const { intents, facts, actions, heldBy } = await planMaintenance(tools, policy);
  process.stdout.write(
    `${intents} intents (${facts} facts) would leave${heldText(heldBy)}\n${actions} actions of the audit would leave\n`,
  );
  return exitOk;
}

async function carryOut(connection: PostgresConnection, policy: RetentionPolicy, isPlan: boolean): Promise<number> {
  await requireSchema(connection);
  const { database } = connection;
  const clock = new SystemClock();
  // By a machine that is days ahead, too much would leave.
  await anchorClock(clock, database);
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
  };
  process.once('SIGTERM', end).once('SIGINT', end);
  try {
    const tools = { database, clock, signal: ending.signal };
    return isPlan ? await printPlan(tools, policy) : printReport(await maintain(tools, policy));
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end);
  }
}

/**
 * `loyaltyd maintain`: lets leave what has been kept for long enough. Needs `DATABASE_URL` of the owner of the tables and the
 * `RETENTION_*` variables. It may run beside everything else, and be ended at any moment.
 * @returns the exit code
 */
export async function runMaintain(env: NodeJS.ProcessEnv, { plan }: { readonly plan: boolean }): Promise<number> {
  return databaseCommand(env, {
    name: 'maintain',
    run: (connection, { retention }) => carryOut(connection, retention, plan),
  });
}
