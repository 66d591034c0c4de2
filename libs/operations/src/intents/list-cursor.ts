import type { ListPosition } from '#intents';

const parts = 3;

/** A page's end as a token that clients hand back. */
export function cursorOf({ recordedAt, laneId, seq }: ListPosition): string {
  return Buffer.from([recordedAt, laneId, seq].join('.')).toString('base64url');
}

/** Null for what was never a cursor. */
export function positionOf(cursor: string): ListPosition | null {
  const numbers = Buffer.from(cursor, 'base64url').toString('latin1').split('.').map(Number);
  const [recordedAt = NaN, laneId = NaN, seq = NaN] = numbers;
  const isWhole = numbers.length === parts && numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
  return isWhole && seq < 2 ** 31 ? { recordedAt, laneId, seq } : null;
}
