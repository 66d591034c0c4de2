import type { IdentityPlace, IntentEvent, PartnerCommand } from '#intents/core';
import { decide } from '#intents/core';
import type { Database, SqlSession } from '#platform';

import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers, loadIntentState, lockLane } from '../lanes/locked-lane.js';
import type { RefusedAction } from './act-on-intent.js';
import type { LoadedCommand } from './load-commands.js';
import { loadCommands } from './load-commands.js';
import type { AuditContext } from './operator-action.js';
import { recordAction } from './operator-action.js';

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

interface Allowed {
  readonly event: IntentEvent;
  /** Why it is not allowed where the partner's refusal of a unique value is to tell what a lost history has done; null: there is none. */
  readonly untoldBy: RefusedAction | null;
}

async function allowed(session: SqlSession, { place, audit }: CorrectionRequest): Promise<Allowed | RefusedAction> {
  const { at, actor, reason } = audit;
  const { state, isForgotten } = await loadIntentState(session, place);
  const decision = decide(state, { type: 'CorrectIntent', at, by: actor, reason });
  if (decision.kind === 'ignored') return decision.reason;
  const [event] = decision.events;
  if (event === undefined) return 'already-settled';
  const untold = state.status === 'parked' ? 'in-doubt' : 'in-flight';
  return { event, untoldBy: isForgotten ? untold : null };
}

/** The partner refuses twice what this says: after a restore that refusal tells whether a lost history has sent it. */
function provesItself(command: PartnerCommand | null): boolean {
  return command?.operation === 'transaction' && command.uniqueAttribute?.enforced === true;
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
  const standing = await allowed(session, request);
  if (typeof standing === 'string') return { kind: 'refused', reason: standing };
  const current = await currentOf(session, place, keys);
  if (current.kind === 'gone') return { kind: 'refused', reason: 'erased' };
  const before = current.kind === 'command' ? current.command : null;
  const { command, changed, privileged } = revise(before);
  const { event, untoldBy } = standing;
  if (untoldBy !== null && [before, command].some(provesItself)) return { kind: 'refused', reason: untoldBy };
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
