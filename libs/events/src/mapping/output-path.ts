type Segment =
  { readonly name: string } | { readonly variable: string } | { readonly index: number; readonly isBase: boolean };

/** Of a map that calls itself the beginning tells enough. */
const segmentsShownMax = 16;

/** Where in what a map makes an expression stands: `events[1].data.lines[0].net`. */
export class OutputPath {
  private readonly segments: Segment[] = [];
  private mutes = 0;

  /** While what is made is no part of the output, but an argument: it has no place of its own. */
  mute(): void {
    this.mutes += 1;
  }

  unmute(): void {
    this.mutes -= 1;
  }

  private enter(segment: Segment): void {
    if (this.mutes === 0) this.segments.push(segment);
  }

  /** @param name `*` where it is no word of the map: it could be a value of the record */
  enterField(name: string): void {
    this.enter({ name });
  }

  /** What is bound is not yet anywhere in what is made. */
  enterVariable(variable: string): void {
    this.enter({ variable });
  }

  /** The place behind so many others of a list that is written out: what is found there counts on. */
  enterPlace(base: number): void {
    this.enter({ index: base, isBase: true });
  }

  /** In a list that is written out it counts on from the place there. */
  enterItem(index: number): void {
    if (this.mutes > 0) return;
    const last = this.segments.at(-1);
    const isWithin = last !== undefined && 'index' in last && last.isBase;
    if (isWithin) this.segments[this.segments.length - 1] = { index: last.index + index, isBase: false };
    else this.segments.push({ index, isBase: false });
  }

  get length(): number {
    return this.segments.length;
  }

  /** Back to where it was `length` long, its last place as it was. */
  leaveTo(length: number, last?: Segment): void {
    this.segments.length = length;
    if (last !== undefined && length > 0) this.segments[length - 1] = last;
  }

  get last(): Segment | undefined {
    return this.segments.at(-1);
  }

  toString(): string {
    const from = this.segments.findLastIndex((segment) => 'variable' in segment);
    const shown = this.segments.slice(Math.max(0, from));
    const path =
      shown.slice(0, segmentsShownMax).map(written).join('') + (shown.length > segmentsShownMax ? '...' : '');
    if (from !== -1) return path;
    // One event needs no list around it.
    return path.startsWith('.') ? `events[0]${path}` : `events${path}`;
  }
}

function written(segment: Segment): string {
  if ('variable' in segment) return `$${segment.variable}`;
  return 'name' in segment ? `.${segment.name}` : `[${segment.index}]`;
}
