import type { DoctorCheck, DoctorReport } from '#contracts';

const nameWidthMax = 40;

const marks: Readonly<Record<DoctorCheck['state'], string>> = {
  ok: 'ok',
  warning: 'WARNING',
  failed: 'FAILED',
  skipped: 'skipped',
};
const markWidth = Math.max(...Object.values(marks).map(({ length }) => length));

/** Terminals act on control characters, and an answer may come from anywhere. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}

function summary({ checks, durationMs }: DoctorReport): string {
  const counts = (['ok', 'warning', 'failed', 'skipped'] as const).map(
    (state) => `${checks.filter((check) => check.state === state).length} ${state}`,
  );
  return `${counts.join(', ')} in ${(durationMs / 1_000).toFixed(1)} s`;
}

/** The report for people: a line per check, and under each that is not well what to do. */
export function doctorTable(report: DoctorReport): string {
  const { checks } = report;
  const width = Math.min(nameWidthMax, Math.max(0, ...checks.map(({ name }) => name.length)));
  const lines = checks.flatMap(({ name, state, detail, remedy }) => [
    `${marks[state].padEnd(markWidth)}  ${plain(name).padEnd(width)}  ${plain(detail)}`,
    ...(remedy === null ? [] : [`${' '.repeat(markWidth)}  -> ${plain(remedy)}`]),
  ]);
  return [...lines, '', summary(report), ''].join('\n');
}
