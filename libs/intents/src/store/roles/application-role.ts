import { createHash } from 'node:crypto';

import type { Database, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

/** History: the application adds to it. It leaves by the owner's maintenance alone. */
const addedTo = ['intent', 'intent_event', 'operator_action', 'provisioned', 'recovery', 'ownership'];
/** Of whom and of what everything is: it changes, and nobody but the owner deletes it. */
const neverDeleted = [
  'dedup',
  'member',
  'installation',
  'kafka_offset',
  'source_gap',
  'quarantine',
  'quarantine_settlement',
  'job',
];
/** Written by the owner's commands. */
const onlyRead = ['job_gone', 'lane_start', 'retired_tally', 'maintenance_run', 'schema_migration', 'schema_mark'];

/** Numbers are taken one after the other, and never set; after a restore those of the lost history are stepped over. */
const sequences: Readonly<Record<string, readonly string[]>> = {
  event_pos_seq: ['USAGE', 'SELECT'],
  lane_id_seq: ['USAGE'],
  operator_action_action_id_seq: ['SELECT'],
  quarantine_quarantine_id_seq: ['USAGE', 'SELECT'],
};

interface Relation {
  readonly name: string;
  readonly isView: boolean;
  readonly columns: readonly string[];
  /** Columns that only the database fills: numbers and positions from a sequence, transaction ids. */
  readonly own: readonly string[];
}

/** To add rows; without numbers that are the database's own, so that nobody takes one in advance. */
function addingRights({ columns, own }: Relation): readonly string[] {
  return own.length === 0
    ? ['INSERT']
    : columns.filter((each) => !own.includes(each)).map((each) => `INSERT ("${each}")`);
}

/** What the application may do with a table of ours. */
export function applicationRights(relation: Relation): readonly string[] {
  const { name, isView } = relation;
  if (isView || onlyRead.includes(name)) return ['SELECT'];
  const adding = addingRights(relation);
  if (addedTo.includes(name)) return ['SELECT', ...adding];
  if (neverDeleted.includes(name)) return ['SELECT', ...adding, 'UPDATE'];
  return ['SELECT', ...adding, 'UPDATE', 'DELETE'];
}

const relationsStatement: SqlStatement = {
  name: 'list_relations',
  text: `
SELECT c.relname AS name, c.relkind = 'v' AS "isView", array_agg(a.attname::text ORDER BY a.attnum) AS columns,
  COALESCE(array_agg(a.attname::text) FILTER (WHERE a.attidentity <> ''
    OR pg_get_expr(d.adbin, d.adrelid) ~ 'nextval|pg_current_xact_id'), '{}') AS own
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'intent'::regclass) AND c.relkind IN ('r', 'v')
GROUP BY c.oid ORDER BY 1`,
};

const ownerStatement: SqlStatement = {
  name: 'find_owner',
  text: `
SELECT relowner::regrole::text AS owner, pg_has_role(relowner, 'USAGE') AS "isOurs" FROM pg_class WHERE oid = 'intent'::regclass`,
};

/** What only the owner of the tables may do was asked for by somebody else. */
export class NotOwnerError extends SafeError {
  override readonly name = 'NotOwnerError';
}

/** @param what that only the owner may do, such as `grant rights on them` @throws {NotOwnerError} where we may not act as the owner */
export async function requireOwner(session: Pick<SqlSession, 'query'>, what: string): Promise<void> {
  const { owner, isOurs } = (await session.query<{ owner: string; isOurs: boolean }>(ownerStatement)).rows[0] ?? {};
  if (isOurs === true) return;
  throw new NotOwnerError(`only ${owner ?? 'the owner'}, who owns the tables, can ${what}`);
}

/** The role cannot be given what it is to have. */
export class GrantRefusedError extends SafeError {
  override readonly name = 'GrantRefusedError';
}

/** Whoever may act as the owner has every right whatever is granted. */
const roleStatement: SqlStatement = {
  name: 'find_role',
  text: `
SELECT quote_ident(r.rolname) AS quoted, quote_ident(current_schema()) AS schema,
  r.rolsuper OR pg_has_role(r.oid, (SELECT relowner FROM pg_class WHERE oid = 'intent'::regclass), 'MEMBER') AS "isOwner"
FROM pg_roles r WHERE r.rolname = $1`,
};

interface FoundRole {
  /** As identifiers of SQL. */
  readonly quoted: string;
  readonly schema: string;
  readonly isOwner: boolean;
}

async function findRole(session: SqlSession, name: string): Promise<FoundRole> {
  const [role] = (await session.query<FoundRole>(roleStatement, [name])).rows;
  if (role === undefined) {
    throw new GrantRefusedError(`there is no role ${name}: create it first, CREATE ROLE ${name} LOGIN PASSWORD '...'`);
  }
  if (!role.isOwner) return role;
  throw new GrantRefusedError(
    `${name} owns the tables, is a superuser, or a member of the owner: it may do everything whatever is granted; name another role`,
  );
}

/** The same name would stand for another text when another role is named. */
function grantStatement(text: string): SqlStatement {
  return { name: `grant_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text };
}

/**
 * Gives the application's role exactly what it takes: what it had before and needs no more is taken back. To be repeated
 * after each migration.
 * @throws {GrantRefusedError | NotOwnerError} where the role is missing or may do everything anyway, or we do not own the
 * tables: nothing changes
 */
export async function grantApplication(database: Database, role: string): Promise<void> {
  await database.transaction('grant_application', async (session) => {
    await requireOwner(session, 'grant rights on them');
    const { quoted, schema } = await findRole(session, role);
    const { rows: relations } = await session.query<Relation>(relationsStatement);
    const texts = [
      `GRANT USAGE ON SCHEMA ${schema} TO ${quoted}`,
      ...relations.flatMap((relation) => [
        `REVOKE ALL ON ${relation.name} FROM ${quoted}`,
        `GRANT ${applicationRights(relation).join(', ')} ON ${relation.name} TO ${quoted}`,
      ]),
      ...Object.entries(sequences).flatMap(([name, rights]) => [
        `REVOKE ALL ON SEQUENCE ${name} FROM ${quoted}`,
        `GRANT ${rights.join(', ')} ON SEQUENCE ${name} TO ${quoted}`,
      ]),
    ];
    for (const text of texts) await session.query(grantStatement(text));
  });
}

const heldStatement: SqlStatement = {
  name: 'list_held_rights',
  text: `
SELECT r.name, p AS "right" FROM unnest($1::text[]) AS r (name)
CROSS JOIN unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS p WHERE has_table_privilege(r.name, p)
UNION ALL
SELECT r.name, 'INSERT ("' || r.column_name || '")' FROM unnest($2::text[], $3::text[]) AS r (name, column_name)
WHERE has_column_privilege(r.name, r.column_name, 'INSERT')`,
};

const selfStatement: SqlStatement = {
  name: 'find_own_role',
  text: `
SELECT current_user::text AS name,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
    OR pg_has_role((SELECT relowner FROM pg_class WHERE oid = 'intent'::regclass), 'MEMBER') AS "isOwner",
  has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`,
};

/** What the role of a connection may do. */
export interface InspectedRole {
  readonly name: string;
  /** It may do everything: change what was recorded, or drop what protects it. */
  readonly isOwner: boolean;
  /** What running takes and it has not. */
  readonly lacks: readonly string[];
  /** What it has and does not need for running. */
  readonly exceeds: readonly string[];
}

/** Compares what the role of the connection may do with what a running daemon needs. Changes nothing. */
export async function inspectRole(database: Database): Promise<InspectedRole> {
  const [self] = (await database.execute<{ name: string; isOwner: boolean; mayCreate: boolean }>(selfStatement)).rows;
  if (self === undefined) throw new Error('the role of the connection could not be read');
  const { name, isOwner, mayCreate } = self;
  if (isOwner) return { name, isOwner, lacks: [], exceeds: [] };
  const { rows: relations } = await database.execute<Relation>(relationsStatement);
  const names = relations.map((relation) => relation.name);
  const numbered = relations
    .filter(({ name: table, own }) => own.length > 0 && !onlyRead.includes(table))
    .flatMap(({ name: table, columns }) => columns.map((column) => ({ table, column })));
  const { rows } = await database.execute<{ name: string; right: string }>(heldStatement, [
    names,
    numbered.map(({ table }) => table),
    numbered.map(({ column }) => column),
  ]);
  const held = rows.map((row) => `${row.right} ON ${row.name}`);
  const needed = relations.flatMap((each) => applicationRights(each).map((right) => `${right} ON ${each.name}`));
  const exceeds = held.filter((right) => !needed.includes(right));
  return {
    name,
    isOwner,
    lacks: needed.filter((right) => !held.includes(right)),
    exceeds: mayCreate ? ['CREATE ON SCHEMA', ...exceeds] : exceeds,
  };
}
