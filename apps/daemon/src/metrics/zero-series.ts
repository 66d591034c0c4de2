import type { Counter } from 'prom-client';

type LabelValues = Readonly<Record<string, readonly string[]>>;

function combinations(values: LabelValues): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [label, options] of Object.entries(values)) {
    all = all.flatMap((labels) => options.map((option) => ({ ...labels, [label]: option })));
  }
  return all;
}

/** Every series of a counter is there from the start: a rate does not see one that begins at 1. */
export function beginAtZero(counter: Counter, values: LabelValues): void {
  for (const labels of combinations(values)) counter.inc(labels, 0);
}
