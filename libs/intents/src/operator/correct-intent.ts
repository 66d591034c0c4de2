import type { IdentityPlace, IntentEvent, PartnerCommand } from '#domain';
import { decide } from '#domain';
import type { Database, SqlSession, SqlStatement } from '#platform';
import { SealBrokenError } from '#platform';

import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { openCorrection, openPayload } from '../keys/member-keys.js';
import { appendByOthers, loadIntentState, lockLane } from '../lanes/locked-lane.js';
import type { RefusedAction } from './act-on-intent.js';
import type { AuditContext } from './operator-action.js';
import { recordAction } from './operator-action.js';

/** Commands that are opened at once, at most. */
export const loadCommandsMax = 500;

const loadCommandsStatement: SqlStatement = {
  name: 'load_commands',
  text: `
SELECT i.lane_id AS "laneId", i.seq, i.payload, k.wrapped_key AS "wrappedKey", i.seq <= m.erased_seq AS "isErased",
  (SELECT e.sealed FROM intent_event e
    WHERE e.lane_id = i.lane_id AND e.seq = i.seq AND e.type = 'IntentCorrected'
    ORDER BY e.version DESC LIMIT 1) AS correction
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)`,
};

interface CommandRow extends IdentityPlace {
  readonly payload: Buffer;
  /** Null once the member's key is destroyed. */
  readonly wrappedKey: Buffer | null;
  readonly isErased: boolean;
  readonly correction: Buffer | null;
}

/** What an intent says now, corrections included. `gone`: erased, or the bytes open no more. */
type CurrentCommand =
  | { readonly kind: 'command'; readonly command: PartnerCommand }
  /** It was parked when it was recorded, and nobody has given it a content since. */
  | { readonly kind: 'none' }
  | { readonly kind: 'gone' };

type LoadedCommand = IdentityPlace & { readonly current: CurrentCommand };

function open(
  { laneId, seq, payload, wrappedKey, isErased, correction }: CommandRow,
  keys: MemberKeys,
): CurrentCommand {
  if (isErased || wrappedKey === null) return { kind: 'gone' };
  const place = { laneId, seq, key: keys.learn(laneId, wrappedKey) };
  try {
    const command = correction === null ? openPayload(keys, place, payload) : openCorrection(keys, place, correction);
    return command === null ? { kind: 'none' } : { kind: 'command', command };
  } catch (error) {
    if (error instanceof SealBrokenError) return { kind: 'gone' };
    throw error;
  }
}

/** What the given intents say now, those that exist; in no order. Personal. */
export async function loadCommands(
  database: Pick<Database, 'execute'>,
  places: readonly IdentityPlace[],
  keys: MemberKeys,
): Promise<LoadedCommand[]> {
  if (places.length > loadCommandsMax) throw new RangeError(`at most ${loadCommandsMax} commands at once`);
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  const { rows } = await database.execute<CommandRow>(loadCommandsStatement, parameters);
  return rows.map((row) => ({ laneId: row.laneId, seq: row.seq, current: open(row, keys) }));
}

interface CorrectionRequest {
  readonly place: IdentityPlace;
  /**
   * The command as it is to be from now on, made of what it is now (null: it has none). Throwing undoes everything and
   * is passed on.
   */
  readonly revise: (current: PartnerCommand | null) => RevisedCommand;
  readonly audit: AuditContext;
}

export interface RevisedCommand {
  readonly command: PartnerCommand;
  /** Paths that differ, for the trace. Never a value. */
  readonly changed: readonly string[];
  /** Those that took an admin. */
  readonly privileged: readonly string[];
}

export type CorrectionResult =
  | { readonly kind: 'done'; readonly before: PartnerCommand | null; readonly after: PartnerCommand }
  | { readonly kind: 'refused'; readonly reason: RefusedAction };

async function allowedEvent(
  session: SqlSession,
  { place, audit }: CorrectionRequest,
): Promise<IntentEvent | RefusedAction> {
  const { at, actor, reason } = audit;
  const { state } = await loadIntentState(session, place);
  const decision = decide(state, { type: 'CorrectIntent', at, by: actor, reason });
  if (decision.kind === 'ignored') return decision.reason;
  return decision.events[0] ?? 'already-settled';
}

async function currentOf(
  session: SqlSession,
  place: IdentityPlace,
  keys: MemberKeys,
): Promise<LoadedCommand['current']> {
  const [loaded] = await loadCommands(within(session), [place], keys);
  return loaded?.current ?? { kind: 'gone' };
}

async function correct(session: SqlSession, request: CorrectionRequest, keys: MemberKeys): Promise<CorrectionResult> {
  const { place, revise, audit } = request;
  if ((await lockLane(session, place.laneId)) === null) return { kind: 'refused', reason: 'not-recorded' };
  const event = await allowedEvent(session, request);
  if (typeof event === 'string') return { kind: 'refused', reason: event };
  const current = await currentOf(session, place, keys);
  if (current.kind === 'gone') return { kind: 'refused', reason: 'erased' };
  const before = current.kind === 'command' ? current.command : null;
  const { command, changed, privileged } = revise(before);
  const evidence = JSON.stringify({ command });
  await appendByOthers(session, { ...place, event, evidence, settles: false }, keys);
  const detail = { changed, ...(privileged.length > 0 ? { privileged } : {}) };
  await recordAction(session, { audit, action: 'intent.correct', place, detail });
  return { kind: 'done', before, after: command };
}

/**
 * Gives an intent another content, with its trace, in one transaction: what was recorded stays as it was, and what is
 * sent from now on is the new content. An attempt that would begin on the old one is refused (`revision`).
 */
export async function correctIntent(
  database: Database,
  request: CorrectionRequest,
  keys: MemberKeys,
): Promise<CorrectionResult> {
  return database.transaction('correct_intent', (session) => correct(session, request, keys));
}
