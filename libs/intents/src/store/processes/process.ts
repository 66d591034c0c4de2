import { Injectable } from '@nestjs/common';

import type { SqlStatement } from '#platform';
import { Database } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ProcessFigures } from './process-figures.js';

/** How often each process reports. */
export const processReportMs = 2_000;
/** A process that has not reported for so long is taken for gone. */
export const processTtlMs = 10_000;
/** Rows of processes that never left are deleted after this time: until then one can see that they went. */
export const processKeptMs = 600_000;
/** Processes read at once: far more than one database carries. */
const processesMax = 1_000;

/** Which programs file a process works by. */
export interface ProgramsInForce {
  /** Hex of the file's hash. */
  readonly hash: string;
  /** Epoch ms. */
  readonly since: number;
}

/** What one process says of itself. Times in epoch ms. */
export interface ProcessReport {
  readonly processId: string;
  /** The machine's or pod's name. */
  readonly host: string;
  readonly roles: readonly string[];
  readonly startedAt: number;
  readonly programs: ProgramsInForce;
  /** The master keys that it knows, as a keyring names them; empty where the process is too old to say. */
  readonly keyIds: readonly string[];
  /** Why the file that it read last was not taken over; null when it was. */
  readonly programsProblem: string | null;
  /** What it knows of its own work; null where the process is too old to say. */
  readonly figures: ProcessFigures | null;
}

/** A process as it last reported. */
export interface ListedProcess extends ProcessReport {
  readonly heartbeatAt: number;
  readonly isAlive: boolean;
}

/**
 * One round trip: says that we are there and reads what the others said. The reading part sees the table as it was before
 * the writing one.
 */
const reportProcessStatement: SqlStatement = {
  name: 'report_process',
  text: `
WITH here AS (
  INSERT INTO daemon_process (process_id, host, roles, started_at, heartbeat_at, programs_hash, programs_since,
    programs_problem, key_ids, figures)
  VALUES ($1::uuid, $2, $3::text[], $4::timestamptz, $5::timestamptz, decode($6, 'hex'), $7::timestamptz, $8, $11::text[],
    $12::jsonb)
  ON CONFLICT (process_id) DO UPDATE SET heartbeat_at = EXCLUDED.heartbeat_at, programs_hash = EXCLUDED.programs_hash,
    programs_since = EXCLUDED.programs_since, programs_problem = EXCLUDED.programs_problem, key_ids = EXCLUDED.key_ids,
    figures = EXCLUDED.figures
), gone AS (
  DELETE FROM daemon_process WHERE process_id IN (
    SELECT process_id FROM daemon_process WHERE heartbeat_at < $9::timestamptz AND process_id <> $1::uuid
    FOR UPDATE SKIP LOCKED)
)
SELECT
  (SELECT COALESCE(json_agg(json_build_object('hash', encode(programs_hash, 'hex'),
     'since', extract(epoch FROM programs_since) * 1000)), '[]')
   FROM (SELECT programs_hash, programs_since FROM daemon_process
     WHERE process_id <> $1::uuid AND heartbeat_at > $10::timestamptz LIMIT ${processesMax}) o) AS others,
  (SELECT json_build_object('at', extract(epoch FROM at) * 1000, 'hash', encode(programs_hash, 'hex'))
   FROM programs_reload ORDER BY reload_id DESC LIMIT 1) AS reload`,
};

/** What a process learns with each report. Times in epoch ms. */
export interface ProcessesState {
  /** By what the others work that are alive. */
  readonly others: readonly ProgramsInForce[];
  /** When somebody last had the file read again, and which one was read then; null: never. */
  readonly reload: { readonly at: number; readonly hash: string } | null;
}

const listProcessesStatement: SqlStatement = {
  name: 'list_processes',
  text: `
SELECT process_id AS "processId", host, roles, started_at AS "startedAt", heartbeat_at AS "heartbeatAt",
  heartbeat_at > $1::timestamptz AS "isAlive", encode(programs_hash, 'hex') AS hash, programs_since AS since,
  programs_problem AS "programsProblem", key_ids AS "keyIds", figures
FROM daemon_process ORDER BY started_at, process_id LIMIT ${processesMax}`,
};

type Row = Omit<ListedProcess, 'programs'> & ListedProcess['programs'];

const leaveProcessStatement: SqlStatement = {
  name: 'leave_process',
  text: 'DELETE FROM daemon_process WHERE process_id = $1::uuid',
};

/** The processes of the installation, as each reports itself. */
@Injectable()
export class ProcessRepository {
  constructor(private readonly database: Database) {}

  /** Writes this process's report and reads what the others reported, in one statement. */
  async report(report: ProcessReport, now: number): Promise<ProcessesState> {
    const { processId, host, roles, startedAt, programs, programsProblem, keyIds, figures } = report;
    const { rows } = await this.database.execute<ProcessesState>(reportProcessStatement, [
      processId,
      host,
      roles,
      timestamp(startedAt),
      timestamp(now),
      programs.hash,
      timestamp(programs.since),
      programsProblem,
      timestamp(now - processKeptMs),
      timestamp(now - processTtlMs),
      keyIds,
      figures === null ? null : JSON.stringify(figures),
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error('a report without an answer');
    return row;
  }

  /** Every process, the oldest first; one that ended without leaving is among them for `processKeptMs`. */
  async list(now: number): Promise<readonly ListedProcess[]> {
    const { rows } = await this.database.execute<Row>(listProcessesStatement, [timestamp(now - processTtlMs)]);
    return rows.map(({ hash, since, ...rest }) => ({ ...rest, programs: { hash, since } }));
  }

  /** Removes a process that ends in order: what remains silent has failed. */
  async leave(processId: string): Promise<void> {
    await this.database.execute(leaveProcessStatement, [processId]);
  }
}

/**
 * Since when processes have worked by different programs files, epoch ms; null where all work by the same. It began when
 * the second of two that differ came to what it has now.
 */
export function disagreeingSince(inForce: readonly ProgramsInForce[]): number | null {
  const inTurn = inForce.toSorted((one, other) => one.since - other.since);
  return inTurn.find(({ hash }) => hash !== inTurn[0]?.hash)?.since ?? null;
}
