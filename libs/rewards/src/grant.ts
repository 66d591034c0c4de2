import type { JsonValue } from '#intents/core';
import { canonicalJson } from '#intents/core';

import type { Granted } from './reward-events.js';

/** A producer's ways to say that there is none are one. */
const orNull = (text: string | null | undefined): JsonValue => (text === undefined || text === '' ? null : text);

/** What must be equal when a grant's `source` and `id` come again: whose, which reward, for which receipt, until when. */
export function judgedGrant({ data }: Pick<Granted, 'data'>): JsonValue {
  const { program, memberId, grantId, reward, purchaseId, validUntil } = data;
  return [program, memberId, grantId, reward, orNull(purchaseId), orNull(validUntil)];
}

/**
 * What must be equal when a grant's number comes under another event id, so that it is the same told again: its time, too.
 * Granted, revoked and granted again under one number is for a person: nobody can tell it from a repetition otherwise.
 */
export function grantContent(event: Granted): string {
  return canonicalJson([judgedGrant(event), event.timeMs]);
}
