import type { Database, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'list_job_lines',
  text: `
SELECT ordinal, data FROM job_line WHERE job_id = $1 AND ordinal > $2::int ORDER BY ordinal LIMIT $3::int`,
};

export interface JobLine {
  readonly ordinal: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a job found, after the given line (0 to begin). */
export async function listJobLines(
  database: Database,
  query: { readonly jobId: string; readonly after: number; readonly limit: number },
): Promise<JobLine[]> {
  return (await database.execute<JobLine>(statement, [query.jobId, query.after, query.limit])).rows;
}
