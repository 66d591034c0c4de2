import { judgeStatement, splitSql, type StatementEffect } from './judge-statement.js';

describe('splitSql', () => {
  it('splits at the ends of statements only, and leaves out comments and what is quoted', () => {
    const text = `
-- a comment; with an end
CREATE TABLE "a" (b text DEFAULT 'x;y''z'); /* another; */
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $body$ SELECT 1; SELECT $$2$$ $body$;
UPDATE a
  SET b = ''`;
    expect(splitSql(text)).toEqual([
      "CREATE TABLE a (b text DEFAULT '')",
      'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$',
      "UPDATE a SET b = ''",
    ]);
  });
});

describe('judgeStatement', () => {
  it.each<[string, Partial<StatementEffect>]>([
    ['ALTER TABLE intent ADD COLUMN a text', { table: 'intent', lock: 'everybody', work: 'short', breaks: null }],
    ['ALTER TABLE ONLY intent ADD COLUMN a int NOT NULL DEFAULT 0, ADD COLUMN b text', { breaks: null }],
    ['ALTER TABLE intent ADD COLUMN a int NOT NULL', { breaks: 'inserts without the new column' }],
    ['ALTER TABLE intent ADD COLUMN a int, ADD COLUMN b int NOT NULL', { breaks: 'inserts without the new column' }],
    ['ALTER TABLE intent ADD COLUMN type text', { breaks: null, work: 'short' }],
    ['ALTER TABLE intent ADD COLUMN a uuid DEFAULT gen_random_uuid()', { work: 'rewrites-table' }],
    ["ALTER TABLE intent ADD COLUMN a text CHECK (a <> '')", { work: 'reads-table', breaks: null }],
    ['ALTER TABLE IF EXISTS intent DROP COLUMN a', { table: 'intent', breaks: 'a column' }],
    ['ALTER TABLE intent DROP a', { breaks: 'a column' }],
    ['ALTER TABLE intent DROP CONSTRAINT a', { breaks: null, lock: 'everybody' }],
    ['ALTER TABLE intent ALTER COLUMN a DROP NOT NULL', { breaks: null }],
    ['ALTER TABLE intent ALTER a DROP DEFAULT', { breaks: 'a default' }],
    ['ALTER TABLE intent RENAME COLUMN a TO b', { breaks: 'a name' }],
    ['ALTER TABLE intent ALTER COLUMN a SET DATA TYPE bigint', { work: 'rewrites-table', breaks: 'a column’s type' }],
    ['ALTER TABLE intent ALTER a TYPE bigint', { breaks: 'a column’s type' }],
    ['ALTER TABLE intent ALTER COLUMN a SET NOT NULL', { work: 'reads-table', breaks: 'an optional column' }],
    ['ALTER TABLE intent ADD CONSTRAINT c CHECK (a > 0)', { breaks: 'freedom from a constraint' }],
    ['ALTER TABLE intent ADD CONSTRAINT c CHECK (a > 0) NOT VALID', { breaks: null, work: 'short' }],
    ['ALTER TABLE intent VALIDATE CONSTRAINT c', { lock: 'schema', work: 'reads-table', breaks: null }],
    ['ALTER TABLE member SET (fillfactor = 90)', { table: 'member', lock: 'schema', work: 'short' }],
    [
      'CREATE TABLE intent_event_p3 PARTITION OF intent_event FOR VALUES FROM (1) TO (2)',
      { table: 'intent_event', lock: 'everybody' },
    ],
    ['CREATE TABLE other (a int)', { table: null, lock: 'none', work: 'short' }],
    ['CREATE INDEX i ON intent (a)', { table: 'intent', lock: 'writers', work: 'reads-table' }],
    ['CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON ONLY intent (a)', { table: 'intent', lock: 'schema' }],
    ['CREATE TRIGGER t AFTER INSERT ON intent FOR EACH ROW EXECUTE FUNCTION f()', { table: 'intent', lock: 'writers' }],
    ['DROP TRIGGER t ON intent', { table: 'intent', lock: 'everybody', breaks: null }],
    ['DROP TABLE intent', { breaks: 'a table' }],
    ['DROP FUNCTION f(int)', { breaks: 'what statements name' }],
    ['TRUNCATE intent', { table: 'intent', breaks: 'rows' }],
    ["UPDATE intent SET a = ''", { table: 'intent', lock: 'rows', work: 'changes-rows' }],
    ['INSERT INTO note (a) SELECT a FROM intent', { table: 'note', work: 'changes-rows' }],
    ['INSERT INTO note (a) VALUES (0)', { table: 'note', work: 'short' }],
    ['DO $$', { work: 'unknown', table: null }],
  ])('%s', (text, expected) => {
    expect(judgeStatement(text)).toMatchObject(expected);
  });
});
