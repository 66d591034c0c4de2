import { createHash } from 'node:crypto';

import type { Database, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

/**
 * What a database role is for, beside owning, migrating and maintaining: `run` is the daemon's, `read` is for support and
 * dashboards. One role may have both.
 */
export const databaseDuties = ['run', 'read'] as const;
export type DatabaseDuty = (typeof databaseDuties)[number];

/** Beside reading. Columns as in SQL; `*`: all of them. */
interface TableRights {
  readonly insert?: string;
  readonly update?: string;
  readonly delete?: true;
}

type Rights = Readonly<Record<string, TableRights>>;

/** What the daemon's statements write, and what they lock: FOR UPDATE takes the right to update a column. */
const runRights: Rights = {
  // Never `pos` and `xid`: who reads all events goes by them.
  intent: {
    insert:
      'lane_id, seq, version, operation, dedup_key, waits_for_seq, waits_for_key, payload, store_id, purchase_id, amount, ' +
      'currency, event_type, source, occurred_at, broker_at, kafka_offset, recorded_at, topic, partition, programs_hash',
  },
  intent_event: {
    insert: 'lane_id, seq, version, attempt, epoch, type, at, data, sealed, begun_version, begun_epoch, begun_at',
  },
  // A mark becomes an identity, and an erasure empties the digest; the trigger lets pass nothing else.
  dedup: { insert: '*', update: 'kind, body_mac, lane_id, seq, seen_on' },
  cancel_mark: { insert: '*' },
  operator_action: { insert: '*' },
  provisioned: { insert: '*' },
  recovery: { insert: '*' },
  member: {
    insert: '*',
    update: 'generation, profile_sequence, profile_at, profile_marks, erased_seq, enrolment_key, enrolment_mac',
  },
  member_key: { insert: '*', update: 'wrapped_key', delete: true },
  erasure: { insert: '*', update: 'until_seq', delete: true },
  digest_erasure: { insert: '*', update: 'erased_seq, since', delete: true },
  installation: {
    insert: '*',
    update: 'partner_base_url, partner_environment, wrapped_mac_key, wrapped_quarantine_key',
  },
  kafka_offset: { insert: '*', update: 'next_offset, last_offset, last_fingerprint' },
  source_gap: { insert: '*', update: 'oldest_offset, accepted_at, accepted_by, accepted_reason, resumed_at' },
  quarantine: { insert: '*', update: 'kafka_offset, sealed_key, sealed_value, sealed_headers, erased_at, state' },
  quarantine_settlement: { insert: '*', delete: true },
  dead_letter_outbox: { insert: '*', update: 'quarantine_id', delete: true },
  projection_checkpoint: { update: 'pos, owner, leased_until' },
  lane: {
    insert: '*',
    update:
      'due_at, epoch, revision, version, head_seq, tail_seq, cur_seq, attempt, attempt_open, open_since, redo, ahead, issue_seq, ' +
      'pass, state, owner, open_version, open_epoch',
  },
  intent_standing: {
    insert: '*',
    update: 'status, reason, code, fingerprint, since, awaits_lane_id, awaits_seq',
    delete: true,
  },
  intent_tally: { insert: '*', update: 'recorded' },
  settled_tally: { insert: '*', update: 'intents' },
  tally_checkpoint: { update: 'pos' },
  minute_tally: {
    insert: '*',
    update:
      'received, delivered, parked, unknown, cancelled, quarantined, waiting, pending, still_unknown, still_parked, ' +
      'call_buckets, call_counts, lag_records, lag_seconds',
    delete: true,
  },
  minute_checkpoint: { update: 'at, quarantine_id' },
  job: {
    insert: '*',
    update:
      'state, cursor, progress, report, error, failures, lines, finished_at, owner, leased_until, due_at, selection, ' +
      'counts, rate_per_second, is_canary, started_at, started_by, start_reason, needs_role',
  },
  job_line: { insert: '*' },
  job_item: { insert: '*', update: 'state, detail, sent_at' },
  reconciliation: { insert: '*', update: 'job_id', delete: true },
  reconciliation_seen: { insert: '*', delete: true },
  pause: { insert: '*', update: 'since, lifted_at, lifted_by, lifted_reason' },
  program_gate: {
    insert: '*',
    update: 'rest_until, breaker_opened_at, breaker_until, guest_job, guest_rate, guest_since, guest_until',
  },
  replica: { insert: '*', update: 'heartbeat_at, programs', delete: true },
  daemon_process: {
    insert: '*',
    update: 'heartbeat_at, programs_hash, programs_since, programs_problem, key_ids, figures',
    delete: true,
  },
  programs_reload: { insert: '*' },
  programs_load: { insert: '*', delete: true },
  lane_start: {},
  retired_tally: {},
  maintenance_run: {},
  intent_history: {},
  schema_migration: {},
  schema_mark: {},
};

/** Tables and views of ours. */
export const ourTables: readonly string[] = Object.keys(runRights);

/** Digests of files that are nobody's: the only `bytea` that is neither sealed, nor a key, nor a digest of what is somebody's. */
export const clearBytes: readonly string[] = [
  'daemon_process.programs_hash',
  'intent.programs_hash',
  'programs_reload.programs_hash',
  'programs_load.programs_hash',
];

interface Duty {
  readonly rights: Rights;
  readonly reads: (table: string, column: Pick<Column, 'name' | 'isBytes'>) => boolean;
  readonly sequences: Readonly<Record<string, string>>;
}

const duties: Readonly<Record<DatabaseDuty, Duty>> = {
  run: {
    rights: runRights,
    reads: () => true,
    // After a restore ids of the lost history are stepped over.
    sequences: {
      ...{ event_pos_seq: 'USAGE, SELECT', lane_id_seq: 'USAGE', quarantine_quarantine_id_seq: 'UPDATE' },
      operator_action_action_id_seq: 'SELECT',
    },
  },
  read: {
    rights: {},
    reads: (table, { name, isBytes }) => !isBytes || clearBytes.includes(`${table}.${name}`),
    sequences: { event_pos_seq: 'SELECT', operator_action_action_id_seq: 'SELECT' },
  },
};

interface Column {
  readonly table: string;
  readonly name: string;
  readonly isBytes: boolean;
}

const columnsStatement: SqlStatement = {
  name: 'list_columns',
  text: `
SELECT c.relname AS "table", a.attname AS name, a.atttypid = 'bytea'::regtype AS "isBytes"
FROM unnest($1::text[]) AS t (name) JOIN pg_class c ON c.oid = to_regclass(t.name)
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.relname, a.attnum`,
};

const wordsOf = (text: string | undefined): readonly string[] => text?.split(', ') ?? [];

/** One right, such as to UPDATE the column due_at ON the table lane. */
interface Right {
  readonly privilege: string;
  readonly on: string;
  readonly column: string | null;
}

function tableRights(duty: Duty, columns: readonly Column[]): Right[] {
  return columns.flatMap((column) => {
    const { table, name } = column;
    const { insert, update } = duty.rights[table] ?? {};
    const held = [
      ...(duty.reads(table, column) ? ['SELECT'] : []),
      ...(insert === '*' || wordsOf(insert).includes(name) ? ['INSERT'] : []),
      ...(wordsOf(update).includes(name) ? ['UPDATE'] : []),
    ];
    return held.map((privilege) => ({ privilege, on: table, column: name }));
  });
}

function rightsOf(duty: Duty, columns: readonly Column[]): Right[] {
  const deleted = Object.entries(duty.rights).filter(([, { delete: may }]) => may === true);
  return [
    ...tableRights(duty, columns),
    ...deleted.map(([on]) => ({ privilege: 'DELETE', on, column: null })),
    ...Object.entries(duty.sequences).flatMap(([on, held]) =>
      wordsOf(held).map((privilege) => ({ privilege, on: `SEQUENCE ${on}`, column: null })),
    ),
  ];
}

const sequencesOfOurs = Object.keys(duties.run.sequences);

/** A role that has these duties. */
interface RoleRights {
  readonly role: FoundRole;
  readonly rights: readonly Right[];
  /** Where it has all columns of a table, it has those that come later, too. */
  readonly mayWhole: boolean;
}

/** Column names of a privilege on a table. */
function groupedByTable(rights: readonly Right[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const { privilege, on, column } of rights) {
    if (column === null) continue;
    const key = `${privilege} ${on}`;
    groups.set(key, (groups.get(key) ?? new Set()).add(column));
  }
  return groups;
}

/** What is to be granted, in as few statements as may be. */
function grantTexts({ role, rights, mayWhole }: RoleRights, columns: readonly Column[]): string[] {
  const columnsOf = Map.groupBy(columns, ({ table }) => table);
  const byTable = [...groupedByTable(rights)].map(([key, names]) => {
    const [privilege = '', table = ''] = key.split(' ');
    const isWhole = mayWhole && names.size === columnsOf.get(table)?.length;
    const list = isWhole ? '' : ` (${[...names].map((name) => `"${name}"`).join(', ')})`;
    return `GRANT ${privilege}${list} ON ${table} TO ${role.quoted}`;
  });
  const others = rights.filter(({ column }) => column === null);
  return [...byTable, ...others.map(({ privilege, on }) => `GRANT ${privilege} ON ${on} TO ${role.quoted}`)];
}

/** The roles cannot be given what they are to have. */
export class GrantRefusedError extends SafeError {
  override readonly name = 'GrantRefusedError';
}

/** Which role has which duty. */
export type DatabaseGrants = Readonly<Partial<Record<DatabaseDuty, string>>>;

interface FoundRole {
  readonly name: string;
  /** As an identifier of SQL. */
  readonly quoted: string;
  readonly isOwner: boolean;
  /** Of our tables, as an identifier; null: it may use it already. */
  readonly schema: string | null;
}

/** Whoever may act as the owner has every right whatever is granted. */
const rolesStatement: SqlStatement = {
  name: 'find_roles',
  text: `
SELECT r.rolname AS name, quote_ident(r.rolname) AS quoted,
  r.rolsuper OR pg_has_role(r.oid, (SELECT relowner FROM pg_class WHERE oid = 'intent'::regclass), 'MEMBER') AS "isOwner",
  CASE WHEN NOT has_schema_privilege(r.oid, current_schema(), 'USAGE') THEN quote_ident(current_schema()) END AS schema
FROM pg_roles r WHERE r.rolname = ANY ($1::text[])`,
};

const granterStatement: SqlStatement = {
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
  const { owner, isOurs } = (await session.query<{ owner: string; isOurs: boolean }>(granterStatement)).rows[0] ?? {};
  if (isOurs === true) return;
  throw new NotOwnerError(`only ${owner ?? 'the owner'}, who owns the tables, can ${what}`);
}

function roleToGrant(name: string, found: readonly FoundRole[]): FoundRole {
  const role = found.find((one) => one.name === name);
  if (role === undefined) {
    throw new GrantRefusedError(`there is no role ${name}: create it first, CREATE ROLE ${name} LOGIN PASSWORD '...'`);
  }
  if (role.isOwner) {
    throw new GrantRefusedError(
      `${name} owns the tables, is a superuser, or a member of the owner: it may do everything whatever is granted; name another role`,
    );
  }
  return role;
}

/** The same name would stand for another text when other roles are named. */
function grantStatement(text: string): SqlStatement {
  return { name: `grant_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text };
}

function textsFor(granted: RoleRights, columns: readonly Column[]): string[] {
  const { quoted, schema } = granted.role;
  return [
    ...(schema === null ? [] : [`GRANT USAGE ON SCHEMA ${schema} TO ${quoted}`]),
    `REVOKE ALL ON ${ourTables.join(', ')} FROM ${quoted}`,
    `REVOKE ALL ON SEQUENCE ${sequencesOfOurs.join(', ')} FROM ${quoted}`,
    ...grantTexts(granted, columns),
  ];
}

/**
 * Gives each role exactly what its duties take: what it had before and needs no more is taken back. To be repeated after each
 * migration. Roles that are not named are left alone.
 * @throws {GrantRefusedError} where a role is missing or may do everything anyway, or we do not own the tables: nothing changes
 */
export async function grantRoles(database: Database, grants: DatabaseGrants): Promise<void> {
  const named = databaseDuties.flatMap((duty) => (grants[duty] === undefined ? [] : [{ duty, role: grants[duty] }]));
  const names = [...new Set(named.map(({ role }) => role))];
  await database.transaction('grant_roles', async (session) => {
    await requireOwner(session, 'grant rights on them');
    const { rows: found } = await session.query<FoundRole>(rolesStatement, [names]);
    const { rows: columns } = await session.query<Column>(columnsStatement, [ourTables]);
    for (const role of names.map((name) => roleToGrant(name, found))) {
      const own = named.filter((one) => one.role === role.name).map(({ duty }) => duty);
      const rights = own.flatMap((duty) => rightsOf(duties[duty], columns));
      const granted = { role, rights, mayWhole: own.some((duty) => duty !== 'read') };
      for (const text of textsFor(granted, columns)) await session.query(grantStatement(text));
    }
  });
}

/** Every right that our role has on our tables and sequences; by column where there is such. */
const heldStatement: SqlStatement = {
  name: 'list_held_rights',
  text: `
WITH relation AS (
  SELECT c.oid, c.relname, c.relkind FROM pg_class c
  WHERE c.oid IN (SELECT to_regclass(t.name) FROM unnest($1::text[]) AS t (name))
)
SELECT p AS privilege, r.relname AS "on", a.attname AS "column"
FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN unnest('{SELECT,INSERT,UPDATE}'::text[]) AS p WHERE r.relkind <> 'S' AND has_column_privilege(r.oid, a.attnum, p)
UNION ALL
SELECT p, r.relname, NULL FROM relation r
CROSS JOIN unnest('{DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS p WHERE r.relkind <> 'S' AND has_table_privilege(r.oid, p)
UNION ALL
SELECT p, 'SEQUENCE ' || s.name, NULL FROM unnest($2::text[]) AS s (name)
CROSS JOIN unnest('{USAGE,SELECT,UPDATE}'::text[]) AS p WHERE has_sequence_privilege(s.name, p)`,
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

function nameOf({ privilege, on, column }: Right): string {
  return column === null ? `${privilege} ON ${on}` : `${privilege} (${column}) ON ${on}`;
}

/** Compares what the role of the connection may do with what a running daemon needs. Changes nothing. */
export async function inspectRole(database: Database): Promise<InspectedRole> {
  const [self] = (await database.execute<{ name: string; isOwner: boolean; mayCreate: boolean }>(selfStatement)).rows;
  if (self === undefined) throw new Error('the role of the connection could not be read');
  const { name, isOwner, mayCreate } = self;
  if (isOwner) return { name, isOwner, lacks: [], exceeds: [] };
  const { rows: columns } = await database.execute<Column>(columnsStatement, [ourTables]);
  const { rows } = await database.execute<Right>(heldStatement, [ourTables, sequencesOfOurs]);
  const held = rows.map(nameOf);
  const needed = rightsOf(duties.run, columns).map(nameOf);
  const allowed = new Set(needed);
  const exceeds = held.filter((right) => !allowed.has(right));
  return {
    name,
    isOwner,
    lacks: needed.filter((right) => !held.includes(right)),
    exceeds: mayCreate ? ['CREATE ON SCHEMA', ...exceeds] : exceeds,
  };
}
