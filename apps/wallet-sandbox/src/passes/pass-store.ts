import type { SqlSession } from '#platform';
import { statement } from '../store/database.js';
import { parseExact } from '../store/exact-json.js';
import type { HeldMetaDataValue, MetaDataIndex, MetaDataValue, UniqueKey, UniquenessChange } from './meta-data.js';
import type { JsonRecord, Pass, PassHandle, Person } from './pass.js';

/** The columns of `wallet_sandbox.pass p`, as `toPass` reads them. */
export const passColumns = `
  p.pass_id AS "passId", p.brand_id AS "brandId", p.program_id AS "programId", p.unique_id AS "uniqueId",
  p.identity, p.person_id AS "personId", p.serial_number AS "serialNumber", p.template_id AS "templateId",
  p.template_tier_id AS "templateTierId", p.group_id AS "groupId", p.current_message AS "currentMessage",
  p.sms_subscription AS "smsSubscription", p.ip_address AS "ipAddress", p.passdata::text AS passdata,
  p.status_code AS "statusCode", p.status, p.created_at AS "createdAt", p.updated_at AS "updatedAt"`;

/** A row of `passColumns`: JSON as text, so that no number in it loses digits. */
export type PassRow = Omit<Pass, 'passdata'> & { readonly passdata: string };

export function toPass(row: PassRow): Pass {
  return { ...row, passdata: parseExact(row.passdata) as JsonRecord };
}

const selectByUniqueId = statement(
  'select_passes_by_unique_id',
  `SELECT ${passColumns} FROM wallet_sandbox.pass p WHERE p.unique_id = ANY($1::text[]) ORDER BY p.pass_id`,
);

const selectByOtherHandle = statement(
  'select_passes_by_other_handle',
  `SELECT ${passColumns} FROM wallet_sandbox.pass p
   WHERE p.serial_number = ANY($1::text[]) OR p.pass_id = ANY($2::bigint[]) OR p.person_id = ANY($3::text[])
     OR (p.identity = ANY($4::text[]) AND p.identity IS DISTINCT FROM p.unique_id)
   ORDER BY p.pass_id`,
);

/** Every pass, of any program, that some handle may mean, each once. */
export async function selectPasses(session: SqlSession, handles: readonly PassHandle[]): Promise<Pass[]> {
  const uniqueIds = handles.flatMap((handle) => handle.uniqueId ?? []);
  const others = handles.filter((handle) => handle.uniqueId === undefined);
  const found = uniqueIds.length === 0 ? [] : (await session.query<PassRow>(selectByUniqueId, [uniqueIds])).rows;
  if (others.length === 0) return found.map(toPass);
  const { rows } = await session.query<PassRow>(selectByOtherHandle, [
    others.flatMap((handle) => handle.serialNumber ?? []),
    others.flatMap((handle) => handle.passId ?? []),
    others.flatMap((handle) => handle.personId ?? []),
    others.flatMap((handle) => handle.identity ?? []),
  ]);
  return [...new Map([...found, ...rows].map((row) => [row.passId, toPass(row)])).values()];
}

const savePassesStatement = statement(
  'save_passes',
  `INSERT INTO wallet_sandbox.pass AS p (
     pass_id, brand_id, program_id, unique_id, identity, person_id, serial_number, template_id, template_tier_id, group_id,
     current_message, sms_subscription, ip_address, passdata, status_code, status, created_at, updated_at)
   SELECT "passId", "brandId", "programId", "uniqueId", identity, "personId", "serialNumber", "templateId", "templateTierId",
     "groupId", "currentMessage", "smsSubscription", "ipAddress", passdata, "statusCode", status, "createdAt",
     "updatedAt"
   FROM json_to_recordset($1::json) AS r(
     "passId" bigint, "brandId" text, "programId" text, "uniqueId" text, identity text, "personId" text, "serialNumber" text,
     "templateId" bigint, "templateTierId" bigint, "groupId" text, "currentMessage" text, "smsSubscription" integer,
     "ipAddress" text, passdata jsonb, "statusCode" text, status integer, "createdAt" bigint, "updatedAt" bigint)
   ON CONFLICT (pass_id) DO UPDATE SET
     unique_id = excluded.unique_id, template_id = excluded.template_id, template_tier_id = excluded.template_tier_id, group_id = excluded.group_id,
     current_message = excluded.current_message, sms_subscription = excluded.sms_subscription,
     ip_address = excluded.ip_address, passdata = excluded.passdata, status_code = excluded.status_code,
     status = excluded.status, updated_at = excluded.updated_at`,
);

/** Inserts new passes and overwrites known ones. */
export async function savePasses(session: SqlSession, passes: readonly Pass[]): Promise<void> {
  if (passes.length > 0) await session.query(savePassesStatement, [JSON.stringify(passes)]);
}

const selectPersonsStatement = statement(
  'select_persons',
  `SELECT person_id AS "personId", brand_id AS "brandId", unique_id AS identity, attributes::text AS attributes
   FROM wallet_sandbox.person
   WHERE (brand_id, unique_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
);

type PersonRow = Omit<Person, 'attributes'> & { readonly attributes: string };

/** The persons that exist among the given (brand, identity) pairs. */
export async function selectPersons(
  session: SqlSession,
  owners: readonly Pick<Person, 'brandId' | 'identity'>[],
): Promise<Person[]> {
  if (owners.length === 0) return [];
  const parameters = [owners.map((owner) => owner.brandId), owners.map((owner) => owner.identity)];
  const { rows } = await session.query<PersonRow>(selectPersonsStatement, parameters);
  return rows.map((row) => ({ ...row, attributes: parseExact(row.attributes) as JsonRecord }));
}

const savePersonsStatement = statement(
  'save_persons',
  `INSERT INTO wallet_sandbox.person (person_id, brand_id, unique_id, attributes)
   SELECT "personId", "brandId", identity, attributes
   FROM json_to_recordset($1::json) AS r("personId" text, "brandId" text, identity text, attributes jsonb)
   ON CONFLICT (person_id) DO UPDATE SET attributes = excluded.attributes`,
);

/** Inserts new persons and overwrites known ones. */
export async function savePersons(session: SqlSession, persons: readonly Person[]): Promise<void> {
  if (persons.length > 0) await session.query(savePersonsStatement, [JSON.stringify(persons)]);
}

const selectMetaDataStatement = statement(
  'select_meta_data',
  `SELECT value, attribute, brand_id AS "brandId", pass_id AS "passId", unique_id AS identity
   FROM wallet_sandbox.meta_data_value WHERE value = ANY($1::text[])`,
);

/** Every pass that holds one of the values under any unique attribute of any brand. */
export async function selectMetaData(
  session: SqlSession,
  values: readonly MetaDataValue[],
): Promise<HeldMetaDataValue[]> {
  if (values.length === 0) return [];
  const texts = values.map((value) => value.value);
  return (await session.query<HeldMetaDataValue>(selectMetaDataStatement, [texts])).rows;
}

const forgetMetaDataStatement = statement(
  'forget_meta_data',
  `DELETE FROM wallet_sandbox.meta_data_value WHERE pass_id = ANY($1::bigint[])`,
);

const saveMetaDataStatement = statement(
  'save_meta_data',
  `INSERT INTO wallet_sandbox.meta_data_value (value, attribute, brand_id, pass_id, unique_id)
   SELECT value, attribute, "brandId", "passId", identity
   FROM json_to_recordset($1::json) AS r(value text, attribute text, "brandId" text, "passId" bigint, identity text)`,
);

/** Writes what the changed passes hold in the place of what they held. */
export async function saveMetaData(session: SqlSession, index: MetaDataIndex): Promise<void> {
  const { passIds, held } = index.changes();
  if (passIds.length > 0) await session.query(forgetMetaDataStatement, [passIds]);
  if (held.length > 0) await session.query(saveMetaDataStatement, [JSON.stringify(held)]);
}

const selectSharedKeysStatement = statement(
  'select_shared_keys',
  `SELECT DISTINCT brand_id AS "brandId", key
   FROM unnest($1::text[], $2::text[]) AS asked(brand_id, key)
   JOIN wallet_sandbox.pass USING (brand_id)
   WHERE passdata->'metaData'->>key IS NOT NULL
   GROUP BY brand_id, key, passdata->'metaData'->>key
   HAVING count(DISTINCT identity) > 1`,
);

/** Those of the keys under which passes of several cardholders hold the same value. Reads every pass of the brand. */
export async function selectSharedKeys(session: SqlSession, keys: readonly UniqueKey[]): Promise<UniqueKey[]> {
  if (keys.length === 0) return [];
  const parameters = [keys.map(({ brandId }) => brandId), keys.map(({ key }) => key)];
  return (await session.query<UniqueKey>(selectSharedKeysStatement, parameters)).rows;
}

const endUniquenessStatement = statement(
  'end_uniqueness',
  `DELETE FROM wallet_sandbox.meta_data_value WHERE brand_id = $1 AND attribute = $2`,
);

const beginUniquenessStatement = statement(
  'begin_uniqueness',
  `INSERT INTO wallet_sandbox.meta_data_value (value, attribute, brand_id, pass_id, unique_id)
   SELECT passdata->'metaData'->>$2::text, $2::text, brand_id, pass_id, identity
   FROM wallet_sandbox.pass WHERE brand_id = $1 AND passdata->'metaData'->>$2::text IS NOT NULL`,
);

/** Forgets what passes hold under a key that is no longer kept unique, and notes it where uniqueness begins. */
export async function saveUniqueness(session: SqlSession, changes: readonly UniquenessChange[]): Promise<void> {
  for (const { ended, begun } of changes) {
    if (ended !== null) await session.query(endUniquenessStatement, [ended.brandId, ended.key]);
    if (begun !== null) await session.query(beginUniquenessStatement, [begun.brandId, begun.key]);
  }
}
