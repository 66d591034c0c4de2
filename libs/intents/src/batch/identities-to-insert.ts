import type { IdentityToInsert } from './insert-identities.js';
import type { PlacedIntent } from './insert-intents.js';
import type { BatchPlan, IntentToPlace } from './plan-batch.js';

/** What a plan leaves behind: each record's event, and its business key with the place of its intent (`placed[i]` is `items[i]`). */
export function identitiesToInsert(
  plan: BatchPlan,
  items: readonly IntentToPlace[],
  placed: readonly PlacedIntent[],
): IdentityToInsert[] {
  const owned = items.flatMap(({ ownsIdentity, identity }, index): IdentityToInsert[] => {
    const at = placed[index];
    if (at === undefined || !ownsIdentity) return [];
    const { eventKey, eventMac, businessKey, businessMac } = identity;
    const { laneId, seq } = at;
    const event: IdentityToInsert = { key: eventKey, kind: 'event', contentMac: eventMac, laneId, seq };
    if (businessKey === null || businessMac === null) return [event];
    return [event, { key: businessKey, kind: 'business', contentMac: businessMac, laneId, seq }];
  });
  const owners = new Set(items.filter(({ ownsIdentity }) => ownsIdentity).map(({ identity }) => identity));
  // What came too late to cancel was planned without an intent, and has one all the same.
  const noops = plan.noops
    .filter((identity) => !owners.has(identity))
    .map(({ eventKey: key, eventMac: contentMac }): IdentityToInsert => {
      return { key, kind: 'event', contentMac, laneId: null, seq: null };
    });
  return [...owned, ...noops];
}
