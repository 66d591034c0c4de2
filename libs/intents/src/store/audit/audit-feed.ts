import type { ActionRecorded } from '#contracts';
import type { Database, SqlStatement } from '#platform';
import { digest, keyedDigestOf } from '#platform';

import type { FeedName } from '../feeds/feed-checkpoint.js';
import type { FeedSource, FeedWindow } from '../feeds/topic-feed.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { unlessBroken } from '../keys/member-keys.js';
import type { ActorRole } from '../operator/operator-action.js';
import { besideAction, ofProgram } from '../operator/operator-action.js';

/** An action on its way to the audit topic: no reason, no detail, no address, and no member but by a pseudonym. */
export interface PublishedAction {
  /** The same whenever it is published again. After a restore a number is given out again: the time tells them apart. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly data: ActionRecorded;
}

/** Actions published at once: some 400 bytes each. */
const auditWindowMax = 1_000;

interface ActionRow {
  readonly number: number;
  readonly at: number;
  readonly actor: string;
  readonly role: ActorRole | null;
  readonly action: string;
  /** What is named may be any text; a member's is one that a programs file has named. */
  readonly program: string | null;
  readonly memberProgram: string | null;
  readonly laneId: number | null;
  /** Null: of no member, their key is destroyed, or it is of a time before that. */
  readonly wrapped: Buffer | null;
}

/**
 * Who was erased and came back has another key, which must not stand beside what was done before: to their intents up to
 * `erased_seq`, or to them as a whole before their first intent after it was recorded.
 */
const actionsStatement: SqlStatement = {
  name: 'audit_window',
  text: `
WITH looked AS MATERIALIZED (
  SELECT action_id, at, actor, role, action, lane_id, seq, detail FROM operator_action
  WHERE action_id > $1::bigint AND action_id <= $2::bigint ORDER BY action_id LIMIT ${auditWindowMax}
)
SELECT a.action_id AS number, a.at, a.actor, a.role, a.action, ${ofProgram} AS program, m.program_id AS "memberProgram", a.lane_id AS "laneId",
  CASE WHEN a.seq NOT BETWEEN 1 AND m.erased_seq AND NOT EXISTS (
      SELECT FROM intent i WHERE i.lane_id = a.lane_id AND i.seq = m.erased_seq + 1 AND m.erased_seq > 0 AND i.recorded_at > a.at)
    THEN k.wrapped_key END AS wrapped
FROM looked a ${besideAction} LEFT JOIN member_key k ON k.lane_id = a.lane_id
ORDER BY a.action_id`,
};

interface AuditTools {
  readonly keys: MemberKeys;
  /** Whether the programs file has it: a pause may name anything, and no text of anybody's is published. */
  readonly isProgram: (name: string) => boolean;
}

const pseudonymText = 'loyaltyd audit pseudonym';

/**
 * What stands for a member in the audit topic, 32 hex digits: the same for all that is done to them, until their data key
 * is destroyed. Then nothing can make it again, nor tell whose it was.
 */
function pseudonymOf({ laneId, wrapped }: ActionRow, keys: MemberKeys): string | null {
  if (laneId === null || wrapped === null) return null;
  return unlessBroken(() => keyedDigestOf(keys.learn(laneId, wrapped), [pseudonymText]).toString('hex'));
}

function toPublished(row: ActionRow, { keys, isProgram }: AuditTools): PublishedAction {
  const { number, at, actor, role, action, memberProgram } = row;
  const program = memberProgram ?? (row.program !== null && isProgram(row.program) ? row.program : null);
  const [kind = ''] = action.split('.');
  const id = digest(JSON.stringify(['action', number, at])).toString('hex');
  return { id, at, data: { number, actor, role, action, kind, program, member: pseudonymOf(row, keys) } };
}

/** The audit topic follows the actions by their numbers. */
export const auditFeed: FeedName = { name: 'audit', sequence: 'operator_action_action_id_seq' };

async function loadActions(
  database: Database,
  { from, final }: { readonly from: number; readonly final: number },
  tools: AuditTools,
): Promise<FeedWindow<PublishedAction>> {
  const { rows } = await database.execute<ActionRow>(actionsStatement, [from, final]);
  const last = rows.length < auditWindowMax ? undefined : rows.at(-1);
  return { items: rows.map((row) => toPublished(row, tools)), upto: last?.number ?? final };
}

/** Every action of the audit, in the order of their numbers. */
export function auditSource(tools: AuditTools): FeedSource<PublishedAction> {
  return { ...auditFeed, load: (database, range) => loadActions(database, range, tools) };
}
