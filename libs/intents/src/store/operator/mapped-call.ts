import type { EventPlanner, IdentityPlace, IntentState, PartnerCommand } from '#intents/core';
import { decide, plannedAnewBy } from '#intents/core';
import type { SqlSession } from '#platform';

import { within } from '../coordination/pauses.js';
import type { MemberKeys } from '../keys/member-keys.js';
import { appendByOthers } from '../lanes/locked-lane.js';
import { planEvidence, waitsForMapping } from '../lanes/plan-claimed.js';
import { loadPlanned } from './load-planned.js';

interface Unmapped {
  readonly place: IdentityPlace;
  readonly state: IntentState;
}

/** The call that the file of now maps an intent to that was recorded without one; null: it maps none, or the intent has its own. */
export async function findMapped(
  session: SqlSession,
  { place, state }: Unmapped,
  tools: { readonly planner: EventPlanner | undefined; readonly keys: MemberKeys },
): Promise<PartnerCommand | null> {
  const { planner, keys } = tools;
  if (planner === undefined || !waitsForMapping(state)) return null;
  const [loaded] = await loadPlanned(within(session), [place], { planner, keys });
  return loaded?.current === null ? loaded.next : null;
}

/** From now on it says that, until the file says otherwise. The lane is locked. */
export async function recordMapped(
  session: SqlSession,
  { place, state, command, at }: Unmapped & { readonly command: PartnerCommand; readonly at: number },
  keys: MemberKeys,
): Promise<void> {
  const decision = decide(state, { type: 'CorrectIntent', at, ...plannedAnewBy });
  const evidence = planEvidence(command);
  for (const event of decision.kind === 'events' ? decision.events : []) {
    await appendByOthers(session, { ...place, event, evidence, settles: false }, keys);
  }
}
