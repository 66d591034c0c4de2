/** One answer of `GET /metrics`. */
export class Scrape {
  private readonly names = new Set<string>();
  private readonly labelsByName = new Map<string, Set<string>>();
  private readonly valuesByLabel = new Map<string, Set<string>>();

  constructor(readonly text: string) {
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      this.names.add(name);
      if (type === 'histogram') for (const suffix of ['bucket', 'sum', 'count']) this.names.add(`${name}_${suffix}`);
    }
    for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) this.takeIn(name, labels);
  }

  /** Also without a value just now. */
  has(metric: string): boolean {
    return this.names.has(metric);
  }

  labelsOf(metric: string): readonly string[] {
    return [...(this.labelsByName.get(metric) ?? [])];
  }

  get labels(): readonly string[] {
    return [...this.valuesByLabel.keys()];
  }

  /** Sorted. */
  valuesOf(label: string): readonly string[] {
    return [...(this.valuesByLabel.get(label) ?? [])].toSorted();
  }

  private takeIn(name: string, labels: string): void {
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      this.labelsByName.set(name, (this.labelsByName.get(name) ?? new Set()).add(label));
      this.valuesByLabel.set(label, (this.valuesByLabel.get(label) ?? new Set()).add(value));
    }
  }
}
