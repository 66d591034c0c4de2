/**
 * SQL: start of the last recovery before which a lost history may have sent the intent (docs/restore.md); NULL: there is
 * none. Where nothing was ever restored the rows are not looked at one by one; a function would not be inlined.
 * @param intent name of the row of `intent`
 */
export function forgottenBefore(intent: string): string {
  return `CASE WHEN EXISTS (SELECT FROM recovery) THEN (SELECT max(r.started_at) FROM recovery r
    WHERE ${intent}.recorded_at < r.started_at OR ${intent}.broker_at < r.produced_until) END`;
}
