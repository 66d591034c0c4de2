/** The tokens that a line may be drawn with: what it means. */
export type LineColour =
  'accent' | 'delivered' | 'pending' | 'unknown' | 'parked' | 'waiting' | 'cancelled' | 'warning';

export interface ChartLine {
  readonly name: string;
  readonly colour: LineColour;
  /** One for each time; null where nobody knows. */
  readonly values: readonly (number | null)[];
  /** Beside its colour, what tells it from others. */
  readonly isDashed?: boolean;
}

/** Values with nothing known on either side: no line leads to them, and they are drawn as points. */
export function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  const isKnown = (index: number): boolean => (values[index] ?? null) !== null;
  return [...values.keys()].filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1));
}
