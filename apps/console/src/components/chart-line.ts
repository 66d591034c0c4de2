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
