import type { PreparedRecord } from './batch-to-record.js';
import { memberKey } from './find-members.js';

function enrolledMember({ verdict }: PreparedRecord): string | null {
  if (verdict.kind !== 'routed') return null;
  const enrolment = verdict.intents.find((intent) => intent.businessKey?.scope === 'enrolment');
  return enrolment === undefined ? null : memberKey(enrolment);
}

/** The record cancels what was recorded before, or changes its member. */
export function hasConsequences({ verdict }: PreparedRecord): boolean {
  return verdict.kind === 'routed' && (verdict.cancels.length > 0 || verdict.memberEffects !== null);
}

/**
 * Cuts a batch where a record depends on what the records before it did: one that cancels or changes its member stands
 * alone, and so does a member's second enrolment begin a new segment. Everything else goes together.
 */
export function segmentRecords(records: readonly PreparedRecord[]): PreparedRecord[][] {
  const segments: PreparedRecord[][] = [];
  let open: PreparedRecord[] = [];
  let enrolled = new Set<string>();
  const cut = (): void => {
    if (open.length > 0) segments.push(open);
    open = [];
    enrolled = new Set();
  };
  for (const record of records) {
    const member = enrolledMember(record);
    const standsAlone = hasConsequences(record);
    if (standsAlone || (member !== null && enrolled.has(member))) cut();
    open.push(record);
    if (member !== null) enrolled.add(member);
    if (standsAlone) cut();
  }
  cut();
  return segments;
}
