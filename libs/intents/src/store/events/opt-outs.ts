const optOuts = 'loyalty.member.opted-out.v';
const optedOut = `${optOuts}1`;

/** Whether events of this type report that a member leaves. */
export function isOptOutType(eventType: string): boolean {
  return eventType === optedOut;
}

/** SQL: whether a row of `intent` reports to the partner that its member has left. */
export function isOptOut(intent: string): string {
  return `${intent}.event_type = '${optedOut}'`;
}

/** SQL: the same for opt-outs of any version, and for what is named after one. */
export function isAnyOptOut(intent: string): string {
  return `${intent}.event_type LIKE '%${optOuts}%'`;
}
