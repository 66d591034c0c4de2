import type { AuditInput, EmittedRecord, LedgerEntry } from './audit-input.js';
import { findDisorder } from './find-disorder.js';
import { findMisplaced } from './find-misplaced.js';
import { ledgerKey } from './ledger-key.js';
import { matchEffects } from './match-effects.js';

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

export const findingsMax = 20;

/**
 * What really happened at the partner, against what the generator wrote down when it emitted each record. `lost` counts
 * effects that are absent though nobody was told to look, and records that must be parked or in quarantine and are not.
 * `duplicatesAtPartner` counts every effect beyond the expected ones, also those that should never have been.
 */
export function audit(input: AuditInput): AuditReport {
  const { found, lost, surplus } = matchEffects(input);
  const disorder = findDisorder(found, input.standings);
  const misplaced = findMisplaced(input);
  const findings = [
    ...lost.map((record) => `lost: ${describeRecord(record)}`),
    ...misplaced.map(({ record, detail }) => `lost: ${describeRecord(record)} (${detail})`),
    ...surplus.map((entry) => `too often: ${describeEntry(entry)}`),
    ...disorder.map((entry) => `out of order: ${describeEntry(entry)}`),
  ];
  return {
    events: input.emitted.length,
    intents: input.standings.length,
    delivered: found.length,
    parked: input.standings.filter(({ status }) => status === 'parked').length,
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
