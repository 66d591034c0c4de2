/** A time as the API writes it. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Null stays null. */
export function isoTimeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : isoTime(atMs);
}
