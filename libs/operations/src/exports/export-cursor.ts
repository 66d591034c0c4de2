import type { ExportPosition } from '#intents';

const parts = 4;
const int4Max = 2 ** 31 - 1;

/** Where a page of an export ended, as a token that clients hand back. */
export function cursorOf({ recordedAt, laneId, seq, version }: ExportPosition): string {
  return Buffer.from([recordedAt, laneId, seq, version].join('.')).toString('base64url');
}

/** Null for what was never a cursor. */
export function positionOf(cursor: string): ExportPosition | null {
  const numbers = Buffer.from(cursor, 'base64url').toString('latin1').split('.').map(Number);
  const isWhole = numbers.length === parts && numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
  if (!isWhole) return null;
  const [recordedAt, laneId, seq, version] = numbers as [number, number, number, number];
  return Math.max(seq, version) > int4Max ? null : { recordedAt, laneId, seq, version };
}
