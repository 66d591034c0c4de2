import { userInfo } from 'node:os';

import { acceptGap } from '#intents';
import type { Database } from '#platform';

import { reportFailure, exitNothingMatched, exitOk, exitUsage } from '../lifecycle/exits.js';
import { requireSchema } from '../storage/schema.js';
import { databaseCommand } from './database-command.js';

export interface AcceptGapOptions {
  /** `TOPIC/PARTITION` */
  readonly partition: string;
  readonly reason: string;
}

interface PartitionPlace {
  readonly topic: string;
  readonly partition: number;
}

function parsePartition(text: string): PartitionPlace | null {
  const match = /^([A-Za-z0-9._-]+)\/(\d{1,9})$/.exec(text);
  return match?.[1] === undefined ? null : { topic: match[1], partition: Number(match[2]) };
}

async function accept(database: Database, at: PartitionPlace, reason: string): Promise<number> {
  const accepted = await acceptGap(database, { ...at, by: userInfo().username, reason, now: Date.now() });
  for (const { storedOffset, oldestOffset } of accepted) {
    process.stdout.write(
      `${at.topic}/${at.partition}: the records from ${storedOffset} up to ${oldestOffset} are given up; its consumer goes on within seconds\n`,
    );
  }
  if (accepted.length > 0) return exitOk;
  return reportFailure(
    [`${at.topic}/${at.partition} stands at no gap that nobody has accepted yet`],
    exitNothingMatched,
  );
}

/**
 * `loyaltyd accept-gap`: lets a partition go on whose records were lost before they were consumed. Needs
 * `DATABASE_URL`.
 * @returns the exit code: 3 when the partition stands at no gap
 */
export async function runAcceptGap(env: NodeJS.ProcessEnv, options: AcceptGapOptions): Promise<number> {
  const at = parsePartition(options.partition);
  if (at === null) return reportFailure([`${options.partition}: must be TOPIC/PARTITION`], exitUsage);
  return databaseCommand(env, {
    name: 'accept-gap',
    run: async (connection) => {
      await requireSchema(connection);
      return accept(connection.database, at, options.reason);
    },
  });
}
