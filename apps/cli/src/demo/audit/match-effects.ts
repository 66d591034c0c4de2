import { effectKey } from '../traffic/expectation.js';
import type { AuditInput, EmittedRecord, LedgerEntry, Standing } from './audit-input.js';
import { placeOf } from './audit-input.js';
import { ledgerKey } from './ledger-key.js';

/** An expected effect and the entry in which it was found. */
export interface Match {
  readonly record: EmittedRecord;
  readonly entry: LedgerEntry;
}

export interface Matching {
  readonly found: readonly Match[];
  /** Expected, not in the ledger, and nobody was told to look. */
  readonly lost: readonly EmittedRecord[];
  /** In the ledger more often than expected, or not expected at all. */
  readonly surplus: readonly LedgerEntry[];
}

/** Which absent effects are accounted for. */
class Excuses {
  private readonly standings: ReadonlyMap<string, Standing>;
  private readonly quarantined: ReadonlySet<string>;
  private readonly voided: ReadonlySet<string>;

  constructor({ emitted, standings, quarantined }: AuditInput) {
    this.standings = new Map(standings.map((standing) => [placeOf(standing), standing]));
    this.quarantined = new Set(quarantined.map(placeOf));
    this.voided = new Set(
      emitted.flatMap(({ expectation }) => (expectation.kind === 'void' ? [effectKey(expectation.effect)] : [])),
    );
  }

  covers(record: EmittedRecord, key: string): boolean {
    const place = placeOf(record);
    const status = this.standings.get(place)?.status;
    if (status === 'parked' || this.quarantined.has(place)) return true;
    return status === 'cancelled' && this.voided.has(key);
  }
}

/**
 * Lays what the generator expects beside what the partner's ledger has. Several equal effects of a member (two grants
 * of one reward) are matched in order; the absent ones among them are those that somebody was told about.
 */
export function matchEffects(input: AuditInput): Matching {
  const excuses = new Excuses(input);
  const expected = Map.groupBy(input.emitted.flatMap(expectedOnce), ({ key }) => key);
  const entries = Map.groupBy(input.ledger, ledgerKey);
  const found: Match[] = [];
  const lost: EmittedRecord[] = [];
  const surplus: LedgerEntry[] = [];
  for (const key of new Set([...expected.keys(), ...entries.keys()])) {
    const records = (expected.get(key) ?? []).map(({ record }) => record);
    const present = entries.get(key) ?? [];
    const owed = withoutExcused(records, present.length, (record) => excuses.covers(record, key));
    owed.forEach((record, index) => {
      const entry = present[index];
      if (entry === undefined) lost.push(record);
      else found.push({ record, entry });
    });
    surplus.push(...present.slice(owed.length));
  }
  return { found, lost, surplus };
}

function expectedOnce(record: EmittedRecord): { readonly key: string; readonly record: EmittedRecord }[] {
  const { expectation } = record;
  return expectation.kind === 'effect' ? [{ key: effectKey(expectation.effect), record }] : [];
}

/** The records whose effect must be there: excused ones are left out, as many as effects are absent. */
function withoutExcused(
  records: readonly EmittedRecord[],
  present: number,
  isExcused: (record: EmittedRecord) => boolean,
): readonly EmittedRecord[] {
  let absent = records.length - present;
  return records.filter((record) => {
    if (absent <= 0 || !isExcused(record)) return true;
    absent -= 1;
    return false;
  });
}
