import type { SourceEventName } from '#contracts';

const optedOut: SourceEventName = 'loyalty.member.opted-out.v1';

/** SQL: whether a row of `intent` tells the partner that its member has left. */
export function isOptOut(intent: string): string {
  return `${intent}.event_type = '${optedOut}'`;
}
