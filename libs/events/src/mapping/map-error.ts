/** A map that is not taken: where, and the rule that it breaks. Never quotes more of it than a name. */
export class MapError extends Error {
  override readonly name = 'MapError';
  readonly line: number;
  readonly column: number;

  /** @param position characters before the place */
  constructor(
    readonly rule: string,
    readonly position: number,
    text: string,
  ) {
    const before = text.slice(0, position).split('\n');
    const line = before.length;
    const column = (before.at(-1) ?? '').length + 1;
    super(`line ${line}, column ${column}: ${rule}`);
    this.line = line;
    this.column = column;
  }
}

/** What a map does not do with this record; holds no value of it. */
export class MapRefusal extends Error {
  override readonly name = 'MapRefusal';

  constructor(readonly rule: string) {
    super(rule);
  }
}
