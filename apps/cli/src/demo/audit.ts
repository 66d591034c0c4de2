import type { IntentWithStatus, QuarantinedRecord } from '#operations';

import type { Expectation, ExpectedEffect } from './traffic/draft.js';
import { effectKey } from './traffic/draft.js';

/** A record that was emitted, and where Kafka put it. */
export interface EmittedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly role: string;
  readonly expectation: Expectation;
}

/** An effect that the partner's ledger has (contracts.md section 9), in the order in which they took effect. */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: string;
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string;
  readonly targetId: string | null;
  readonly key: string | null;
  readonly body: unknown;
}

export type AuditedIntent = Pick<
  IntentWithStatus,
  'topic' | 'partition' | 'offset' | 'seq' | 'status' | 'parkedReason' | 'operation'
>;

export interface AuditInput {
  readonly emitted: readonly EmittedRecord[];
  readonly ledger: readonly LedgerEntry[];
  /** What the daemon says became of each record: believed where a record was parked or set aside, nowhere else. */
  readonly intents: readonly AuditedIntent[];
  readonly quarantined: readonly Pick<QuarantinedRecord, 'topic' | 'partition' | 'offset' | 'reason'>[];
}

/** Where a record lies, as a map's key. */
function placeOf({ topic, partition, offset }: Pick<EmittedRecord, 'topic' | 'partition' | 'offset'>): string {
  return `${topic}/${partition}/${offset}`;
}

/** A ledger entry in the generator's words: the same key as the effect that was expected. */
function ledgerKey(entry: LedgerEntry): string {
  const { operation, brandId, programId, uniqueId } = entry;
  const effect = { operation: operation as ExpectedEffect['operation'], brandId, programId, memberId: uniqueId };
  return effectKey({ ...effect, what: whatOf(entry) });
}

function whatOf({ operation, targetId, key, body }: LedgerEntry): string {
  switch (operation) {
    case 'issue':
    case 'issue-via-workflow':
      return '';
    case 'update-via-workflow':
      return updateOf(body);
    case 'transaction':
      return `${targetId ?? '?'} ${key ?? '?'} ${String(valueAt(body, 'amount'))}`;
    case 'reward':
      return targetId ?? '?';
    default:
      return `unknown operation ${operation}`;
  }
}

/** The generator changes points, each time to another number, or opts out. */
function updateOf(body: unknown): string {
  const points = valueAt(valueAt(body, 'passdata'), 'points');
  return typeof points === 'number' ? `points ${points}` : 'opt-out';
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** An expected effect and the entry in which it was found. */
interface Match {
  readonly record: EmittedRecord;
  readonly entry: LedgerEntry;
}

interface Matching {
  readonly found: readonly Match[];
  /** Expected, not in the ledger, and not reported for a person to look at. */
  readonly lost: readonly EmittedRecord[];
  /** In the ledger more often than expected, or not expected at all. */
  readonly surplus: readonly LedgerEntry[];
}

/** Which absent effects are accounted for. */
class Excuses {
  private readonly intents: ReadonlyMap<string, AuditedIntent>;
  private readonly quarantined: ReadonlySet<string>;
  private readonly voided: ReadonlySet<string>;

  constructor({ emitted, intents, quarantined }: AuditInput) {
    this.intents = new Map(intents.map((intent) => [placeOf(intent), intent]));
    this.quarantined = new Set(quarantined.map(placeOf));
    this.voided = new Set(
      emitted.flatMap(({ expectation }) => (expectation.kind === 'void' ? [effectKey(expectation.effect)] : [])),
    );
  }

  covers(record: EmittedRecord, key: string): boolean {
    const place = placeOf(record);
    const status = this.intents.get(place)?.status;
    if (status === 'parked' || this.quarantined.has(place)) return true;
    return status === 'cancelled' && this.voided.has(key);
  }
}

/**
 * Lays what the generator expects beside what the partner's ledger has. Several equal effects of a member (two grants
 * of one reward) are matched in order; the absent ones among them are those that were reported.
 */
function matchEffects(input: AuditInput): Matching {
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

interface Step {
  readonly entry: LedgerEntry;
  readonly position: number;
}

/** Enrolments may go ahead of what waits for them, but nothing may go ahead of what was before it otherwise. */
function overtaken(steps: readonly Step[]): readonly LedgerEntry[] {
  let last = Number.NEGATIVE_INFINITY;
  return steps.flatMap(({ entry, position }) => {
    if (position < last) return [entry];
    if (!isEnrolment(entry)) last = position;
    return [];
  });
}

function isEnrolment({ operation }: LedgerEntry): boolean {
  return operation === 'issue' || operation === 'issue-via-workflow';
}

/**
 * Effects that came out of order: for each member, against the order in which each topic had the records (the producer's
 * own knowledge), and against the order in which the lane took them in (`seq`), which also binds topics together.
 */
function findDisorder(found: readonly Match[], intents: readonly AuditedIntent[]): readonly LedgerEntry[] {
  const seqs = new Map(intents.map((intent) => [placeOf(intent), intent.seq]));
  const applied = found.toSorted((a, b) => a.entry.seq - b.entry.seq);
  const byMember = Map.groupBy(applied, ({ entry }) => memberOf(entry)).values();
  const disordered = [...byMember].flatMap((matches) => {
    const byTopic = [...Map.groupBy(matches, ({ record }) => record.topic).values()];
    const lane = matches.map(({ record, entry }) => ({ entry, position: seqs.get(placeOf(record)) ?? 0 }));
    const topics = byTopic.map((some) => some.map(({ record, entry }) => ({ entry, position: record.offset })));
    return [lane, ...topics].flatMap(overtaken);
  });
  return [...new Set(disordered)];
}

function memberOf({ brandId, programId, uniqueId }: LedgerEntry): string {
  return JSON.stringify([brandId, programId, uniqueId]);
}

/** A record that is not where it must be: not parked, not in quarantine, or there for another reason. */
interface Misplaced {
  readonly record: EmittedRecord;
  readonly detail: string;
}

/** Checks the records that must have no effect but a place where a person finds them. */
function findMisplaced({ emitted, intents, quarantined }: AuditInput): readonly Misplaced[] {
  const reasons = new Map(quarantined.map((record) => [placeOf(record), record.reason]));
  const parked = new Map(
    intents.filter(({ status }) => status === 'parked').map((each) => [placeOf(each), each.parkedReason]),
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

export interface AuditReport {
  readonly events: number;
  readonly intents: number;
  /** Expected effects found in the partner's ledger. */
  readonly delivered: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly duplicatesAtPartner: number;
  readonly outOfOrderAtPartner: number;
  readonly lost: number;
  /** One line for each of the last three counts, at most `findingsMax`. */
  readonly findings: readonly string[];
}

const findingsMax = 20;

/**
 * What really happened at the partner, against what the generator wrote down when it emitted each record. `lost` counts
 * effects that are absent though they were not reported, and records that must be parked or in quarantine and are not.
 * `duplicatesAtPartner` counts every effect beyond the expected ones, also those that should never have been.
 */
export function audit(input: AuditInput): AuditReport {
  const { found, lost, surplus } = matchEffects(input);
  const disorder = findDisorder(found, input.intents);
  const misplaced = findMisplaced(input);
  const findings = [
    ...lost.map((record) => `lost: ${describeRecord(record)}`),
    ...misplaced.map(({ record, detail }) => `lost: ${describeRecord(record)} (${detail})`),
    ...surplus.map((entry) => `too often: ${describeEntry(entry)}`),
    ...disorder.map((entry) => `out of order: ${describeEntry(entry)}`),
  ];
  return {
    events: input.emitted.length,
    intents: input.intents.length,
    delivered: found.length,
    parked: input.intents.filter(({ status }) => status === 'parked').length,
    quarantined: input.quarantined.length,
    duplicatesAtPartner: surplus.length,
    outOfOrderAtPartner: disorder.length,
    lost: lost.length + misplaced.length,
    findings: findings.slice(0, findingsMax),
  };
}

/** True when the demo may say that nothing went wrong. */
export function isClean({ duplicatesAtPartner, outOfOrderAtPartner, lost }: AuditReport): boolean {
  return duplicatesAtPartner === 0 && outOfOrderAtPartner === 0 && lost === 0;
}

function describeRecord({ role, topic, partition, offset }: EmittedRecord): string {
  return `${role} at ${topic}/${partition}/${offset}`;
}

function describeEntry(entry: LedgerEntry): string {
  return `ledger entry ${entry.seq}, ${ledgerKey(entry)}`;
}

/** The audit's figures and how long the run took from its first event to the last settled intent. */
type DemoFigures = Omit<AuditReport, 'findings'> & { readonly seconds: number };

const meanings: Readonly<Record<keyof DemoFigures, string>> = {
  events: 'records emitted to Kafka',
  intents: 'calls owed to the partner',
  delivered: 'effects found in the partner’s ledger, each exactly once',
  parked: 'a person must look (members who never enrolled)',
  quarantined: 'records that could not become intents, kept with their reason',
  duplicatesAtPartner: 'effects that are there too often',
  outOfOrderAtPartner: 'effects of a member that overtook another',
  lost: 'effects and records that are nowhere',
  seconds: 'from the first event to the last settled intent',
};

/** A table for people. */
export function reportTable(figures: DemoFigures): string {
  const rows = Object.entries(meanings).map(([name, meaning]) => {
    return `  ${name.padEnd(20)} ${String(figures[name as keyof DemoFigures]).padStart(8)}  ${meaning}`;
  });
  const verdict = isClean({ ...figures, findings: [] })
    ? 'Nothing lost, nothing twice, every member in order.'
    : 'Not clean: see the findings above.';
  return `\nAudited against the wallet sandbox’s own ledger:\n\n${rows.join('\n')}\n\n${verdict}\n`;
}
