import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';

import type { DatabaseEnvironment } from '#contracts';
import { readEnvironment } from '#contracts';
import { acceptGap } from '#intents';
import { createLogger } from '#platform';

import { exitError, exitNothingMatched, exitOk, exitUsage } from './lifecycle/exit-codes.js';
import { tellError } from './lifecycle/tell-error.js';
import { requireSchema } from './wiring/ensure-schema.js';
import { postgresOf } from './wiring/storage.js';

export interface AcceptGapOptions {
  /** `TOPIC/PARTITION` */
  readonly partition: string;
  readonly reason: string;
}

function complain(lines: readonly string[], exitCode: number): number {
  for (const line of lines) process.stderr.write(`${line}\n`);
  return exitCode;
}

function parsePartition(text: string): { readonly topic: string; readonly partition: number } | null {
  const match = /^([A-Za-z0-9._-]+)\/(\d{1,9})$/.exec(text);
  return match?.[1] === undefined ? null : { topic: match[1], partition: Number(match[2]) };
}

async function accept(
  settings: DatabaseEnvironment,
  at: { readonly topic: string; readonly partition: number },
  reason: string,
): Promise<number> {
  const connection = postgresOf(settings, createLogger({ level: 'warn', service: 'loyaltyd' }));
  try {
    await connection.connect();
    await requireSchema(connection);
    const by = userInfo().username;
    const accepted = await acceptGap(connection.database, { ...at, by, reason, now: Date.now() });
    for (const { storedOffset, oldestOffset } of accepted) {
      process.stdout.write(
        `${at.topic}/${at.partition}: the records from ${storedOffset} up to ${oldestOffset} are given up; its consumer goes on within seconds\n`,
      );
    }
    if (accepted.length > 0) return exitOk;
    return complain([`${at.topic}/${at.partition} stands at no gap that nobody has accepted yet`], exitNothingMatched);
  } finally {
    await connection.close();
  }
}

/**
 * `loyaltyd accept-gap`: lets a partition go on whose records were lost before they were consumed. Needs
 * `DATABASE_URL`.
 * @returns the exit code: 3 when the partition stands at no gap
 */
export async function runAcceptGap(env: NodeJS.ProcessEnv, options: AcceptGapOptions): Promise<number> {
  const at = parsePartition(options.partition);
  if (at === null) return complain([`${options.partition}: must be TOPIC/PARTITION`], exitUsage);
  const read = readEnvironment(env, { roles: [], readFile: (path) => readFileSync(path, 'utf8') });
  if (!read.ok) return complain(read.errors, exitUsage);
  if (read.value.database === null) return complain(['DATABASE_URL: must be set'], exitUsage);
  try {
    return await accept(read.value.database, at, options.reason);
  } catch (error) {
    return complain([`accept-gap failed: ${tellError(error)}`], exitError);
  }
}
