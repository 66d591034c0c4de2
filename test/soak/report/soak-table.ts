import type { Bar } from '../../chaos/report/chaos-report.js';
import type { Growth } from '../verdict/judge-memory.js';
import type { SoakReport } from './soak-report.js';

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
    `at rest ${rest.isAtRest ? `after ${rest.seconds} s` : 'NEVER'}, longest stall ${others.longestStall} s`,
    `connections at rest ${others.connectionsAtRest}; left behind: ${counted(others.leftovers)}`,
    `invariants broken: ${counted(verdict.broken)}; outside the promise: ${counted(verdict.exposures)}`,
    ...(first === null ? [] : [`first broken: ${JSON.stringify(first, null, 2)}`]),
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
