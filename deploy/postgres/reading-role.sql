-- Lets the role `support` read what is in the clear: nothing sealed, no key, no digest (all of them are bytea); ids of members
-- are in the clear. Run it as the owner of the tables, and again after each migration. Replace the name where yours is another.
DO $$
DECLARE
  clear record;
BEGIN
  FOR clear IN
    SELECT c.oid::regclass AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'v')
      AND (a.atttypid <> 'bytea'::regtype OR a.attname = 'programs_hash')
    GROUP BY c.oid
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM support', clear.name);
    EXECUTE format('GRANT SELECT (%s) ON %s TO support', clear.columns, clear.name);
  END LOOP;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO support', current_schema());
END $$;
GRANT SELECT ON SEQUENCE event_pos_seq, operator_action_action_id_seq TO support;
