/** Characters of many kinds; those that a pattern names are added. */
const common = Array.from(
  'abcdefghijklmnopqrstuvwxyz0123456789 -_.,:;\'"!?/()ABCDEFGHIJKLMNOPQRSTUVWXYZ#$%&*+<=>@[\\]^`{|}~' +
    '\n\t\u0001\u0002\u00a0\u2028\u0301éßøΩжשع٣中漢😀€',
);

/** What the atoms of a pattern (`a`, `\w`, `[^x]`) take, told by the engine that will run it: case and Unicode included. */
export class Characters {
  /** Takes any character. */
  readonly anything = 0;
  private readonly sources: (string | null)[] = [null];
  private readonly known = new Map<string | null, number>([[null, 0]]);
  private tellers: string[] | null = null;
  private table: boolean[][] = [];

  constructor(
    private readonly pattern: string,
    private readonly flags: string,
  ) {}

  /** @param source null: any character */
  atom(source: string | null): number {
    const at = this.known.get(source) ?? this.sources.push(source) - 1;
    this.known.set(source, at);
    return at;
  }

  /** One character for each kind that the atoms tell apart. All atoms must be known by then. */
  get kinds(): readonly string[] {
    this.tellers ??= this.sorted();
    return this.tellers;
  }

  /** The first kind that all of these atoms take; -1: none. */
  shared(atoms: readonly number[]): number {
    return this.kinds.findIndex((_, kind) => atoms.every((atom) => this.takes(atom, kind)));
  }

  takes(atom: number, kind: number): boolean {
    return this.table[atom]?.[kind] === true;
  }

  private sorted(): string[] {
    const tests = this.sources.map((source) => (source === null ? null : new RegExp(`^(?:${source})$`, this.flags)));
    const byKind = new Map<string, string>();
    for (const character of new Set([...common, ...Array.from(this.pattern)])) {
      const kind = tests.map((test) => (test === null || test.test(character) ? '1' : '0')).join('');
      if (!byKind.has(kind)) byKind.set(kind, character);
    }
    this.table = tests.map((_, atom) => [...byKind.keys()].map((kind) => kind[atom] === '1'));
    return [...byKind.values()];
  }
}
