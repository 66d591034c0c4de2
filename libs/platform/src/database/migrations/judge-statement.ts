/** A piece of SQL that must not be looked into: quoted text, a dollar-quoted body, a comment. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[^]*?\1|--[^\n]*|\/\*[^]*?\*\//g;

/**
 * The statements of an SQL text, one by one, without comments and with single spaces; what is quoted is left out, for
 * only its being there counts.
 */
export function splitSql(text: string): string[] {
  const outline = text.replace(opaque, (piece) => {
    if (piece.startsWith('--') || piece.startsWith('/*')) return ' ';
    if (piece.startsWith('"')) return piece.slice(1, -1);
    return piece.startsWith('$') ? '$$' : "''";
  });
  return outline
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}

/** What others must wait for while a statement's transaction runs. */
type TableLock =
  | 'none'
  /** Writers of the same rows. */
  | 'rows'
  /** Other schema changes only. */
  | 'schema'
  /** All who write to the table. */
  | 'writers'
  /** Everybody. */
  | 'everybody';

/** How long a statement takes: a moment whatever the table's size, or longer the bigger it is. */
type StatementWork = 'short' | 'reads-table' | 'rewrites-table' | 'changes-rows' | 'unknown';

/** What a schema change does to those who work meanwhile. */
export interface StatementEffect {
  /** The statement's first words. */
  readonly what: string;
  /** Null where no table is touched that others use. */
  readonly table: string | null;
  readonly lock: TableLock;
  readonly work: StatementWork;
  /** What programs that know the schema as it was would miss; null: nothing. */
  readonly breaks: string | null;
}

interface Rule {
  readonly pattern: RegExp;
  readonly lock: TableLock;
  readonly work: StatementWork;
  readonly breaks?: string;
}

const table = '(?:IF (?:NOT )?EXISTS )?(?:ONLY )?(?<table>[\\w.]+)';

function statement(head: string, rest = ''): RegExp {
  return new RegExp(`^${head}${rest}`, 'i');
}

function alter(action: string): RegExp {
  return statement(`ALTER TABLE ${table} `, `.*${action}`);
}

const volatileDefault = 'DEFAULT (?:now|nextval|random|gen_random_uuid|clock_timestamp|pg_current_xact_id)\\b';

/** The first that fits counts: the most hurtful comes first. */
const rules: readonly Rule[] = [
  { pattern: statement(`DROP TABLE ${table}`), lock: 'everybody', work: 'short', breaks: 'a table' },
  { pattern: statement('DROP (?:MATERIALIZED )?VIEW '), lock: 'none', work: 'short', breaks: 'a view' },
  {
    pattern: statement('DROP (?:FUNCTION|PROCEDURE|TYPE|SEQUENCE) '),
    lock: 'none',
    work: 'short',
    breaks: 'what statements name',
  },
  { pattern: statement(`TRUNCATE (?:TABLE )?${table}`), lock: 'everybody', work: 'short', breaks: 'rows' },
  {
    pattern: alter('\\bDROP (?:COLUMN )?(?!CONSTRAINT|NOT NULL|DEFAULT|EXPRESSION|IDENTITY)'),
    lock: 'everybody',
    work: 'short',
    breaks: 'a column',
  },
  { pattern: alter('\\bRENAME '), lock: 'everybody', work: 'short', breaks: 'a name' },
  {
    pattern: alter('\\bALTER (?:COLUMN )?\\w+ (?:SET DATA )?TYPE '),
    lock: 'everybody',
    work: 'rewrites-table',
    breaks: 'a column’s type',
  },
  { pattern: alter('\\bSET NOT NULL'), lock: 'everybody', work: 'reads-table', breaks: 'an optional column' },
  { pattern: alter('\\bDROP DEFAULT'), lock: 'everybody', work: 'short', breaks: 'a default' },
  { pattern: alter(volatileDefault), lock: 'everybody', work: 'rewrites-table' },
  {
    pattern: alter('\\bADD CONSTRAINT (?!.*NOT VALID)'),
    lock: 'everybody',
    work: 'reads-table',
    breaks: 'freedom from a constraint',
  },
  { pattern: alter('\\bADD COLUMN [^,]*(?:CHECK|REFERENCES|UNIQUE)'), lock: 'everybody', work: 'reads-table' },
  { pattern: alter('\\bVALIDATE CONSTRAINT'), lock: 'schema', work: 'reads-table' },
  { pattern: statement(`ALTER TABLE ${table} SET \\(`), lock: 'schema', work: 'short' },
  { pattern: alter('\\bDETACH PARTITION .* CONCURRENTLY'), lock: 'schema', work: 'short' },
  { pattern: statement(`ALTER TABLE ${table}`), lock: 'everybody', work: 'short' },
  { pattern: statement(`CREATE TABLE [\\w. ]+ PARTITION OF ${table}`), lock: 'everybody', work: 'short' },
  { pattern: statement('CREATE (?:UNIQUE )?INDEX CONCURRENTLY .*?\\bON ', table), lock: 'schema', work: 'reads-table' },
  { pattern: statement('CREATE (?:UNIQUE )?INDEX .*?\\bON ', table), lock: 'writers', work: 'reads-table' },
  { pattern: statement('CREATE (?:CONSTRAINT )?TRIGGER .*?\\bON ', table), lock: 'writers', work: 'short' },
  { pattern: statement('DROP TRIGGER .*?\\bON ', table), lock: 'everybody', work: 'short' },
  { pattern: statement('DROP INDEX CONCURRENTLY'), lock: 'none', work: 'short' },
  { pattern: statement('DROP INDEX'), lock: 'everybody', work: 'short' },
  { pattern: statement(`(?:UPDATE|DELETE FROM) ${table}`), lock: 'rows', work: 'changes-rows' },
  { pattern: statement(`INSERT INTO ${table}`, '.*\\bSELECT\\b'), lock: 'rows', work: 'changes-rows' },
  { pattern: statement(`INSERT INTO ${table}`), lock: 'rows', work: 'short' },
  { pattern: statement(`LOCK (?:TABLE )?${table}`), lock: 'everybody', work: 'unknown' },
  {
    pattern: statement('(?:CREATE|COMMENT|GRANT|REVOKE|SET|RESET|ALTER SEQUENCE|SELECT setval)\\b'),
    lock: 'none',
    work: 'short',
  },
];

const wordsShown = 6;

/** A column that the inserts of older programs do not fill. */
function isRequired(text: string): boolean {
  const columns = text.split(/\bADD COLUMN\b/i).slice(1);
  return columns.some((column) => /\bNOT NULL\b/i.test(column) && !/\b(?:DEFAULT|GENERATED)\b/i.test(column));
}

/** What a statement of a migration, as `splitSql` gives it, means for those who work meanwhile. */
export function judgeStatement(text: string): StatementEffect {
  const what = text.split(' ').slice(0, wordsShown).join(' ');
  const rule = rules.find(({ pattern }) => pattern.test(text));
  if (rule === undefined) return { what, table: null, lock: 'none', work: 'unknown', breaks: null };
  const { lock, work } = rule;
  const required = /^ALTER TABLE/i.test(text) && isRequired(text) ? 'inserts without the new column' : null;
  return {
    what,
    table: rule.pattern.exec(text)?.groups?.['table'] ?? null,
    lock,
    work,
    breaks: rule.breaks ?? required,
  };
}
