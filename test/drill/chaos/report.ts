import type { ExposureBucket, InvariantId, RunFigures, Violation } from '../../checker/index.js';
import type { RetailersReport } from '../../judge/report.js';
import { retailersText } from '../../judge/report.js';
import type { MachineReport } from '../../support/process/program.js';
import type { NemesisReport } from '../faults/nemesis.js';
import type { OperatorsReport } from '../traffic/operators.js';
import type { TillsReport } from '../traffic/tills.js';
import type { RestReport } from '../verdict/at-rest.js';
import type { FleetReport, TruthFigures } from '../verdict/audit.js';
import type { AuditReport } from '../verdict/books.js';

/** One thing that must hold. */
export interface Bar {
  readonly text: string;
  readonly reached: string;
  readonly holds: boolean;
  /** The run is long enough for it to decide. */
  readonly decides: boolean;
}

/** What the checker and the retailer's judge found. */
export interface JudgedHistory {
  readonly figures: RunFigures;
  readonly broken: Readonly<Partial<Record<InvariantId, number>>>;
  readonly exposures: Readonly<Partial<Record<ExposureBucket, number>>>;
  readonly first: Violation | null;
  /** At most 50 of each invariant. */
  readonly violations: readonly Violation[];
  /** Records in the source topics. */
  readonly recordsInLog: number;
  readonly retailer: RetailersReport;
}

export interface FaultsReport extends NemesisReport {
  /** Calls that each kind of misbehaviour of the partner struck. */
  readonly partnerCalls: Readonly<Record<string, number>>;
  readonly commitAnswersLost: number;
}

/** What `--json` prints. */
export interface ChaosReport {
  /** Every bar that decides holds. */
  readonly ok: boolean;
  readonly command: string;
  readonly seed: number;
  readonly startedAt: string;
  /** Traffic and faults. */
  readonly seconds: number;
  readonly secondsInAll: number;
  readonly machine: MachineReport;
  readonly kafka: { readonly version: string; readonly origin: string; readonly isReal: boolean };
  readonly postgres: string;
  readonly daemons: number;
  readonly eventsPerSecond: number;
  readonly faults: FaultsReport;
  readonly events: TillsReport;
  readonly operators: OperatorsReport;
  readonly truth: TruthFigures;
  readonly fleet: FleetReport;
  readonly rest: RestReport;
  readonly audit: AuditReport;
  readonly verdict: JudgedHistory;
  readonly bars: readonly Bar[];
  /** Logs and dumps of both databases, kept when a bar does not hold. */
  readonly evidence: string | null;
}

const perLine = 4;
const shownMax = 5;

function counted(counts: Readonly<Record<string, number | undefined>>): string[] {
  return Object.entries(counts).map(([name, count]) => `${name} ${(count ?? 0).toLocaleString('en-US')}`);
}

/** A title, and what belongs to it in as few lines as fit. */
function block(title: string, items: readonly string[]): string {
  if (items.length === 0) return `${title}: none`;
  const lines = Array.from({ length: Math.ceil(items.length / perLine) }, (_, index) =>
    items.slice(index * perLine, (index + 1) * perLine).join(', '),
  );
  return [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** The first few of what should not be there, whole. */
function firstOf(items: readonly object[]): string[] {
  return items.slice(0, shownMax).map((item) => `  ${JSON.stringify(item)}`);
}

function barLine({ text, reached, holds, decides }: Bar): string {
  const word = holds ? 'holds' : decides ? 'FAILS' : 'short';
  return `  ${word}  ${text} (${reached})`;
}

function head({ machine, kafka, postgres, daemons, seconds, seed, eventsPerSecond }: ChaosReport): string {
  const { processor, cores, memoryGiB, system, node } = machine;
  const broker = kafka.isReal ? `Kafka ${kafka.version}` : `NO REAL KAFKA (${kafka.origin})`;
  return [
    `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}; ${broker}, Postgres ${postgres}`,
    `${seconds} s with seed ${seed}, ${daemons} daemons, ${eventsPerSecond} events/s`,
  ].join('\n');
}

function faultsText({ faults, fleet }: ChaosReport): string {
  const { killsInDoubt, commitAnswersLost, notReached, togetherMax } = faults;
  const calls = killsInDoubt.reduce((sum, kill) => sum + kill.calls, 0);
  const dropped = killsInDoubt.reduce((sum, kill) => sum + kill.dropped, 0);
  return [
    block('faults begun', counted(faults.begun)),
    block('calls the partner spoiled', counted(faults.partnerCalls)),
    `daemons killed while they waited for calls whose effect was there, or to come: ${killsInDoubt.length} ` +
      `(${calls} calls, of which the partner had dropped ${dropped})`,
    `answers to COMMIT lost: ${commitAnswersLost}; at most ${togetherMax} faults at once; ` +
      `${fleet.lives} daemon processes lived, ${fleet.startsFailed} starts failed, ${fleet.diedByThemselves.length} died by themselves`,
    ...(notReached.length === 0 ? [] : [block('no time for', notReached)]),
  ].join('\n');
}

function workText({ events, operators, truth, audit, verdict }: ChaosReport): string {
  const { figures } = verdict;
  const parkedUnknown = figures.parked['unknown-outcome'] ?? 0;
  return [
    block(`events acknowledged: ${events.acknowledged} (produced ${events.produced})`, counted(events.byKind)),
    `intents ${truth.intents}, members ${truth.members}, delivered ${figures.delivered}, cancelled ${figures.cancelled}`,
    block('quarantined', counted(truth.quarantined)),
    block('operators', counted(operators.done)),
    `attempts ${truth.attempts}, effects ${audit.effects}`,
    block('unknown', counted(truth.unknowns)),
    block('resolved', counted(truth.resolutions)),
    block('parked', counted(truth.parked)),
    `parked as unknown although there was evidence: ${truth.overParked.length} of ${parkedUnknown}; probes that told nothing: ${figures.overParked - truth.overParked.length}`,
    ...firstOf(truth.overParked),
  ].join('\n');
}

function verdictText({ rest, audit, verdict }: ChaosReport): string {
  const { first } = verdict;
  return [
    `drained ${rest.isAtRest ? `${rest.seconds} s after healing` : 'never'}; the last record was ingested after ${rest.ingestedSeconds ?? '?'} s, ` +
      `nothing was due any more after ${rest.workedSeconds ?? '?'} s, but ${rest.waited} lanes waited for a pass, a purchase or their next look at a doubt`,
    `owed ${audit.owed}, found once ${audit.found}, excused ${counted(audit.excused).join(', ') || 0}, lost ${audit.lost.length}`,
    ...firstOf(audit.lost),
    `effects that nothing told explains: ${audit.foreign.length}`,
    ...firstOf(audit.foreign),
    block('outside the promise', counted(verdict.exposures)),
    block('invariants broken', counted(verdict.broken)),
    ...(first === null ? [] : [`first broken: ${JSON.stringify(first, null, 2)}`]),
    retailersText(verdict.retailer),
  ].join('\n');
}

/** The report for people. */
export function chaosTable(report: ChaosReport): string {
  return [
    head(report),
    faultsText(report),
    workText(report),
    verdictText(report),
    `bars:\n${report.bars.map(barLine).join('\n')}`,
    ...(report.evidence === null ? [] : [`evidence: ${report.evidence}`]),
    `again: ${report.command}`,
    `${report.ok ? 'ok' : 'NOT ok'} after ${Math.round(report.secondsInAll)} s`,
  ].join('\n\n');
}
