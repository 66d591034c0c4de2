import type { Status } from '../run/status.js';

/** One line for a log. */
export function statusLine({ emitted, ingested, counts, work }: Status): string {
  const open = counts.pending + counts.delivering + counts.unknown;
  const parts = [
    `emitted ${emitted}`,
    `ingested ${ingested}`,
    `delivered ${counts.delivered}`,
    `open ${open}`,
    `waiting ${counts.waiting}`,
    `parked ${counts.parked}`,
    `cancelled ${counts.cancelled}`,
    `quarantined ${work.quarantined}`,
  ];
  return parts.join(', ');
}

const barWidth = 40;

/** A block for a terminal: bars against the number of records emitted. */
export function statusBlock(status: Status): readonly string[] {
  const { emitted, ingested, counts, work } = status;
  const rows: readonly (readonly [string, number])[] = [
    ['emitted', emitted],
    ['ingested', ingested],
    ['delivered', counts.delivered],
    ['open', counts.pending + counts.delivering + counts.unknown],
    ['waiting', counts.waiting],
    ['parked', counts.parked],
    ['cancelled', counts.cancelled],
    ['quarantined', work.quarantined],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(12)} ${String(value).padStart(8)}  ${bar(value, emitted)}`);
}

function bar(value: number, whole: number): string {
  return '█'.repeat(whole === 0 ? 0 : Math.min(barWidth, Math.ceil((value / whole) * barWidth)));
}
