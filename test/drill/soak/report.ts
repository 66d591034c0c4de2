import { median } from '../../bench/statistics.js';
import type { Bar, JudgedHistory } from '../chaos/report.js';
import type { TillsReport } from '../traffic/tills.js';
import type { RestReport } from '../verdict/at-rest.js';
import type { FleetReport, TruthFigures } from '../verdict/audit.js';
import type { AuditReport } from '../verdict/books.js';
import { retailersText } from '../../judge/report.js';
import type { MachineReport } from '../../support/process/program.js';
import type { RestartReport } from './rounds.js';
import type { LinesReport } from './verdict/judge-lines.js';
import type { Growth } from './verdict/judge-watches.js';
import type { Leftovers, NotInjected } from './verdict/leftovers.js';
import type { Beat, MemorySample } from './watches.js';

/** One minute, or one round, of a run. */
interface MinuteReport {
  /** Records acknowledged. */
  readonly events: number;
  /** New entries of the partner's ledger. */
  readonly delivered: number;
  /** Records not consumed and intents not settled: the most that was seen. */
  readonly backlogMax: number;
  /** Resident memory by process, MiB, medians. */
  readonly memory: Readonly<Record<string, number>>;
  readonly drainMsMax: number;
  readonly readyMsMax: number;
}

interface Seen {
  readonly beats: readonly Beat[];
  readonly samples: readonly MemorySample[];
  readonly restarts: readonly RestartReport[];
}

interface Span {
  readonly round: number;
  readonly seconds: number;
}

function isIn({ round, seconds }: Span): (item: { readonly seconds: number }) => boolean {
  return (item) => Math.floor(item.seconds / seconds) === round;
}

function memoryOf(samples: readonly MemorySample[]): Record<string, number> {
  const byProcess = Map.groupBy(samples, ({ process }) => process);
  return Object.fromEntries(
    [...byProcess].map(([process, own]) => [process, Math.round(median(own.map(({ mebibytes }) => mebibytes)))]),
  );
}

/** How much a count rose from the last look before the span to the last one in it. */
function risen(beats: readonly Beat[], span: Span, count: (beat: Beat) => number): number {
  const before = beats.findLast(({ seconds }) => seconds < span.round * span.seconds);
  const last = beats.findLast(isIn(span));
  return last === undefined ? 0 : count(last) - (before === undefined ? 0 : count(before));
}

function minute({ beats, samples, restarts }: Seen, span: Span): MinuteReport {
  const restarted = restarts.filter(({ round }) => round === span.round);
  const backlog = ({ acknowledged, ingested, pending }: Beat): number => acknowledged - ingested + pending;
  return {
    events: risen(beats, span, ({ acknowledged }) => acknowledged),
    delivered: risen(beats, span, ({ effects }) => effects),
    backlogMax: Math.max(0, ...beats.filter(isIn(span)).map(backlog)),
    memory: memoryOf(samples.filter(isIn(span))),
    drainMsMax: Math.max(0, ...restarted.map(({ drainMs }) => drainMs)),
    readyMsMax: Math.max(0, ...restarted.map(({ readyMs }) => readyMs)),
  };
}

/** A run, minute by minute. Rounds that took longer than their time show their restarts where they were meant to be. */
export function minutesOf(seen: Seen, roundSeconds: number): MinuteReport[] {
  const rounds = Math.ceil((seen.beats.at(-1)?.seconds ?? 0) / roundSeconds);
  return Array.from({ length: rounds }, (_, round) => minute(seen, { round, seconds: roundSeconds }));
}

/** What was measured and judged. */
export interface SoakFindings {
  readonly minutes: number;
  readonly rounds: number;
  readonly daemons: number;
  readonly kafka: { readonly version: string; readonly origin: string; readonly isReal: boolean };
  /** How often each thing was done to the run. */
  readonly injected: Readonly<Record<string, number>>;
  readonly restarts: readonly RestartReport[];
  readonly fleet: FleetReport;
  readonly events: TillsReport;
  readonly rest: RestReport;
  /** Seconds. */
  readonly longestStall: number;
  /** Looks at how things stand that failed. */
  readonly looksFailed: number;
  /** Of all daemons, when everything was at rest. */
  readonly connectionsAtRest: number;
  readonly leftovers: Leftovers;
  readonly memory: readonly Growth[];
  readonly descriptors: readonly Growth[];
  readonly lines: LinesReport;
  readonly truth: TruthFigures;
  readonly notInjected: NotInjected;
  readonly audit: AuditReport;
  readonly verdict: JudgedHistory;
}

/** What `--json` prints. */
export interface SoakReport extends SoakFindings {
  /** Every bar that decides holds. */
  readonly ok: boolean;
  readonly command: string;
  readonly seed: number;
  readonly startedAt: string;
  readonly secondsInAll: number;
  readonly machine: MachineReport;
  readonly postgres: string;
  readonly byMinute: readonly MinuteReport[];
  readonly bars: readonly Bar[];
  /** Logs and dumps of both databases, kept when a bar does not hold. */
  readonly evidence: string | null;
}

const linesShownMax = 20;

function counted(counts: Readonly<Record<string, number | undefined>>): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${name} ${(count ?? 0).toLocaleString('en-US')}`)
      .join(', ') || 'none'
  );
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`).join('\n');
}

function head({ machine, kafka, postgres, daemons, minutes, seed }: SoakReport): string {
  const { processor, cores, memoryGiB, system, node } = machine;
  const broker = kafka.isReal ? `Kafka ${kafka.version}` : `NO REAL KAFKA (${kafka.origin})`;
  return [
    `${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}; ${broker}, Postgres ${postgres}`,
    `${minutes} min with seed ${seed}, ${daemons} daemons restarted each minute and one that never is`,
  ].join('\n');
}

function minutesText({ byMinute }: SoakReport): string {
  const names = [...new Set(byMinute.flatMap(({ memory }) => Object.keys(memory)))];
  const title = [
    'minute',
    'events',
    'delivered',
    'backlog',
    'drain ms',
    'ready ms',
    ...names.map((name) => `${name} MiB`),
  ];
  const rows = byMinute.map(({ events, delivered, backlogMax, drainMsMax, readyMsMax, memory }, index) => [
    ...[index + 1, events, delivered, backlogMax, drainMsMax, readyMsMax].map(String),
    ...names.map((name) => String(memory[name] ?? '-')),
  ]);
  return columns([title, ...rows]);
}

function growthText(what: string, growths: readonly Growth[]): string {
  const rows = growths.map(({ process, by, quarters, ratio }) => [
    process,
    `by ${by}`,
    ...quarters.map((quarter) => String(quarter ?? '-')),
    String(ratio ?? '-'),
  ]);
  return `${what}, quarter by quarter, last by second:\n${columns(rows)}`;
}

function doneText({ injected, restarts, fleet, lines }: SoakReport): string {
  const most = (key: 'drainMs' | 'readyMs'): number => Math.max(0, ...restarts.map((restart) => restart[key]));
  return [
    `done to the run: ${counted(injected)}`,
    `restarts ${restarts.length}: drained within ${most('drainMs')} ms, ready again within ${most('readyMs')} ms; ` +
      `${fleet.lives} processes lived`,
    `log lines: ${counted(lines.byLevel)}`,
    `warnings and errors brought about: ${counted(lines.expected)}`,
    ...lines.unexpected.slice(0, linesShownMax).map(({ process, raw }) => `  UNEXPECTED (${process}) ${raw}`),
  ].join('\n');
}

function workText({ events, truth, audit, verdict, rest, notInjected, ...others }: SoakReport): string {
  const { first, figures } = verdict;
  return [
    `events acknowledged ${events.acknowledged} (${counted(events.byKind)})`,
    `intents ${truth.intents}, members ${truth.members}, delivered ${figures.delivered}, cancelled ${figures.cancelled}, effects ${audit.effects}`,
    `quarantined: ${counted(truth.quarantined)}`,
    `parked: ${counted(truth.parked)}; not because of what was done: ${counted(notInjected.parked)}`,
    `unknown: ${counted(truth.unknowns)}; while the partner was well: ${notInjected.unknowns.join(', ') || 'none'}`,
    `owed ${audit.owed}, found once ${audit.found}, excused ${counted(audit.excused)}, lost ${audit.lost.length}`,
    ...[...audit.lost, ...audit.foreign]
      .slice(0, linesShownMax)
      .map((one) => `  LOST OR FOREIGN ${JSON.stringify(one)}`),
    `at rest ${rest.isAtRest ? `after ${rest.seconds} s` : 'NEVER'}, longest stall ${others.longestStall} s`,
    `connections at rest ${others.connectionsAtRest}; left behind: ${counted(others.leftovers)}`,
    `invariants broken: ${counted(verdict.broken)}; outside the promise: ${counted(verdict.exposures)}`,
    ...(first === null ? [] : [`first broken: ${JSON.stringify(first, null, 2)}`]),
    retailersText(verdict.retailer),
  ].join('\n');
}

function barLine({ text, reached, holds, decides }: Bar): string {
  const word = holds ? 'holds' : decides ? 'FAILS' : 'short';
  return `  ${word}  ${text} (${reached})`;
}

/** The report for people. */
export function soakTable(report: SoakReport): string {
  return [
    head(report),
    minutesText(report),
    growthText('resident memory in MiB', report.memory),
    growthText('descriptors', report.descriptors),
    doneText(report),
    workText(report),
    `bars:\n${report.bars.map(barLine).join('\n')}`,
    ...(report.evidence === null ? [] : [`evidence: ${report.evidence}`]),
    `again: ${report.command}`,
    `${report.ok ? 'ok' : 'NOT ok'} after ${Math.round(report.secondsInAll)} s`,
  ].join('\n\n');
}
