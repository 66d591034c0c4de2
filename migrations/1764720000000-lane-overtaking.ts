import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Overtaking is asked of the database's functions, as settling is (docs/decisions/0081). `standing_after` says what it said,
 * in the words that the transition table gives (docs/decisions/0080).
 */
export class LaneOvertaking1764720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Whether the last enrolment goes before what waits for the pass: mayOvertake of libs/domain/src/lane.
CREATE FUNCTION lane_overtakes(issue int, cur int, head int, redo int[], ahead int[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT issue > cur AND issue >= head AND issue <> ALL (ahead) AND issue <> ALL (redo) AND cardinality(redo) < 1000
$$;

-- How many later intents of the lane are settled: overtakenBy of libs/domain/src/lane.
CREATE FUNCTION lane_overtaken(place int, head int, redo int[], ahead int[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT GREATEST(0, head - place - 1 - (SELECT count(*) FROM unnest(redo) AS s WHERE s > place)::int)
    + (SELECT count(*) FROM unnest(ahead) AS s WHERE s > place)::int
$$;

CREATE OR REPLACE FUNCTION standing_after(type text, data jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE type
    WHEN 'WaitingBegan' THEN 'waiting'
    WHEN 'AttemptUnknown' THEN 'unknown'
    WHEN 'VerifiedApplied' THEN 'delivered'
    WHEN 'IntentParked' THEN 'parked'
    WHEN 'IntentResolved' THEN CASE WHEN data->>'as' = 'delivered' THEN 'delivered' ELSE NULL END
    WHEN 'IntentCancelled' THEN 'cancelled'
    END
$$;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
