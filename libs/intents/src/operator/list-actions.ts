import type { Database, SqlStatement } from '#platform';

/** What a person did. */
export interface ListedAction {
  readonly actionId: number;
  /** Epoch ms. */
  readonly at: number;
  readonly actor: string;
  readonly address: string | null;
  readonly action: string;
  readonly reason: string;
  /** The intent it was done to; all three are null for what is about no single one. */
  readonly program: string | null;
  readonly memberId: string | null;
  readonly seq: number | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
}

export interface ActionQuery {
  readonly actor: string | null;
  readonly action: string | null;
  /** The id that the page before ended with; null for the first. */
  readonly before: number | null;
  readonly limit: number;
}

/** SQL: the columns of a `ListedAction`, and where they are. */
export const listedActions = `a.action_id AS "actionId", a.at, a.actor, a.address, a.action, a.reason, m.program_id AS program,
  m.member_id AS "memberId", a.seq, a.detail
FROM operator_action a LEFT JOIN member m USING (lane_id)`;

const statement: SqlStatement = {
  name: 'list_actions',
  text: `
SELECT ${listedActions}
WHERE a.action_id < $1::bigint AND ($2::text IS NULL OR a.actor = $2) AND ($3::text IS NULL OR a.action = $3)
ORDER BY a.action_id DESC LIMIT $4::int`,
};

/** What people did, the newest first. */
export async function listActions(database: Database, query: ActionQuery): Promise<ListedAction[]> {
  const { before, actor, action, limit } = query;
  const parameters = [before ?? Number.MAX_SAFE_INTEGER, actor, action, limit];
  return (await database.execute<ListedAction>(statement, parameters)).rows;
}
