import type { AuditInput, EmittedRecord } from './audit-input.js';
import { placeOf } from './audit-input.js';

/** A record that is not where it must be: not parked, not in quarantine, or there for another reason. */
export interface Misplaced {
  readonly record: EmittedRecord;
  readonly detail: string;
}

/** Checks the records that must have no effect but a place where a person finds them. */
export function findMisplaced({ emitted, standings, quarantined }: AuditInput): readonly Misplaced[] {
  const reasons = new Map(quarantined.map((record) => [placeOf(record), record.reason]));
  const parked = new Map(
    standings.filter(({ status }) => status === 'parked').map((each) => [placeOf(each), each.parkedReason]),
  );
  return emitted.flatMap((record) => {
    const { expectation } = record;
    const place = placeOf(record);
    switch (expectation.kind) {
      case 'quarantined':
        return misplaced(record, { where: 'quarantine', wanted: expectation.reason, found: reasons.get(place) });
      case 'parked':
        return misplaced(record, { where: 'parked', wanted: 'missing-pass', found: parked.get(place) ?? undefined });
      case 'effect':
      case 'void':
      case 'nothing':
        return [];
      default:
        return expectation satisfies never;
    }
  });
}

function misplaced(
  record: EmittedRecord,
  { where, wanted, found }: { readonly where: string; readonly wanted: string; readonly found: string | undefined },
): readonly Misplaced[] {
  if (found === wanted) return [];
  return [{ record, detail: `${where}: expected ${wanted}, found ${found ?? 'nothing'}` }];
}
