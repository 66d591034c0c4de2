import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { Pass, PassHandle } from './pass.js';

const columns = `
  p.pass_id AS "passId", p.brand_id AS "brandId", p.program_id AS "programId", p.unique_id AS "uniqueId",
  p.person_id AS "personId", p.serial_number AS "serialNumber", p.template_id AS "templateId",
  p.template_tier_id AS "templateTierId", p.group_id AS "groupId", p.current_message AS "currentMessage",
  p.sms_subscription AS "smsSubscription", p.ip_address AS "ipAddress", p.passdata,
  p.status_code AS "statusCode", p.status, p.created_at AS "createdAt", p.updated_at AS "updatedAt"`;

const selectByUniqueId = statement(
  'select_passes_by_unique_id',
  `SELECT ${columns} FROM wallet_sandbox.pass p WHERE p.unique_id = ANY($1::text[]) ORDER BY p.pass_id`,
);

const selectByOtherHandle = statement(
  'select_passes_by_other_handle',
  `SELECT ${columns} FROM wallet_sandbox.pass p
   WHERE p.serial_number = ANY($1::text[]) OR p.pass_id = ANY($2::bigint[]) OR p.person_id = ANY($3::text[])
   ORDER BY p.pass_id`,
);

/** Every pass, of any program, that some handle may mean. */
export async function selectPasses(session: SqlSession, handles: readonly PassHandle[]): Promise<Pass[]> {
  const uniqueIds = handles.flatMap((handle) => handle.uniqueId ?? []);
  const others = handles.filter((handle) => handle.uniqueId === undefined);
  const found = uniqueIds.length === 0 ? [] : (await session.query<Pass>(selectByUniqueId, [uniqueIds])).rows;
  if (others.length === 0) return found;
  const { rows } = await session.query<Pass>(selectByOtherHandle, [
    others.flatMap((handle) => handle.serialNumber ?? []),
    others.flatMap((handle) => handle.passId ?? []),
    others.flatMap((handle) => handle.personId ?? []),
  ]);
  return [...found, ...rows];
}
