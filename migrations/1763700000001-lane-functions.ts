import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The lane cursor's arithmetic where it must happen under the row lock. It is the same as `libs/domain/src/lane`;
 * a property test holds the two against each other. Each function returns {head, redo, ahead} after the step; the next
 * to send is the first of redo, else head.
 */
export class LaneFunctions1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE FUNCTION lane_next_head(head int, ahead int[]) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN head = ANY (ahead)
    THEN (SELECT min(s) FROM generate_series(head, head + cardinality(ahead)) AS s WHERE s <> ALL (ahead))
    ELSE head END
$$;

CREATE FUNCTION lane_trim_ahead(head int, ahead int[]) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cardinality(ahead) = 0 THEN ahead
    ELSE COALESCE((SELECT array_agg(DISTINCT s ORDER BY s) FROM unnest(ahead) AS s WHERE s >= head), '{}') END
$$;

CREATE FUNCTION lane_settled_head(head int, cur int, ahead int[]) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cur < head THEN head
    WHEN cardinality(ahead) = 0 THEN CASE WHEN cur = head THEN head + 1 ELSE head END
    ELSE lane_next_head(head, ahead || cur) END
$$;

CREATE FUNCTION lane_settled_ahead(head int, cur int, ahead int[]) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cur < head THEN ahead
    WHEN cur = head AND cardinality(ahead) = 0 THEN ahead
    ELSE lane_trim_ahead(lane_settled_head(head, cur, ahead), ahead || cur) END
$$;

CREATE FUNCTION lane_settled_redo(cur int, redo int[]) RETURNS int[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cardinality(redo) = 0 THEN redo ELSE array_remove(redo, cur) END
$$;
`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward');
  }
}
