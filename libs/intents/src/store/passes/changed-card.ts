import type { IdentityPlace, PartnerCommand } from '#intents/core';
import { clearedPaths, profilePaths, withoutProfilePaths, withProfilePathsOf } from '#intents/core';
import type { Database, SqlStatement } from '#platform';

import { operationList } from '../events/transition-sql.js';
import { loadCommandsMax } from '../operator/load-commands.js';

/** Of each enrolment the newest, as many as are opened at once. `isTaken`: the partner has taken it, or it is still to be sent. */
const findUpdatesStatement: SqlStatement = {
  name: 'find_updates_since_enrolment',
  text: `
SELECT u.lane_id AS "laneId", u.seq, w.seq AS "enrolmentSeq", COALESCE(s.status = 'delivered', true) AS "isTaken"
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
CROSS JOIN LATERAL (
  SELECT i.lane_id, i.seq FROM intent i
  WHERE i.lane_id = w.lane_id AND i.seq > w.seq AND i.operation IN (${operationList('changes')})
    AND NOT EXISTS (
      SELECT FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCancelled')
  ORDER BY i.seq DESC LIMIT ${loadCommandsMax}) u
LEFT JOIN intent_standing s ON s.lane_id = u.lane_id AND s.seq = u.seq`,
};

interface FoundUpdate extends IdentityPlace {
  readonly enrolmentSeq: number;
  readonly isTaken: boolean;
}

/** What has been recorded of members' passes since these enrolments and was not cancelled; in no order. */
export async function findUpdates(
  database: Pick<Database, 'execute'>,
  enrolments: readonly IdentityPlace[],
): Promise<readonly FoundUpdate[]> {
  const parameters = [enrolments.map(({ laneId }) => laneId), enrolments.map(({ seq }) => seq)];
  return (await database.execute<FoundUpdate>(findUpdatesStatement, parameters)).rows;
}

/** What was said of a card. */
export interface CardUpdate {
  readonly command: PartnerCommand;
  readonly isTaken: boolean;
}

/** Points move by what is bought, and consent is judged by itself (`withdrawnSince`). */
const notRepeated: ReadonlySet<string> = new Set(['passdata.points', 'smsSubscription', 'passdata.optOut']);

/** The enrolment as the card was changed since; what was cleared is left out. */
export function asChanged(enrolment: PartnerCommand, newestFirst: readonly CardUpdate[]): PartnerCommand {
  return newestFirst
    .filter(({ isTaken }) => isTaken)
    .toReversed()
    .reduce((command, update) => {
      const paths = profilePaths(update.command).filter((path) => !notRepeated.has(path));
      const cleared = new Set(clearedPaths(update.command).filter((path) => paths.includes(path)));
      const said = new Set(paths.filter((path) => !cleared.has(path)));
      const changed = withProfilePathsOf(command, update.command, said);
      return withoutProfilePaths(changed, cleared) ?? changed;
    }, enrolment);
}
