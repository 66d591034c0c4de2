import type { SqlSession } from '#platform';
import { statement } from '../store/statement.js';
import type { Pass } from './pass.js';

const savePassesStatement = statement(
  'save_passes',
  `INSERT INTO wallet_sandbox.pass AS p (
     pass_id, brand_id, program_id, unique_id, person_id, serial_number, template_id, template_tier_id, group_id,
     current_message, sms_subscription, ip_address, passdata, status_code, status, created_at, updated_at)
   SELECT "passId", "brandId", "programId", "uniqueId", "personId", "serialNumber", "templateId", "templateTierId",
     "groupId", "currentMessage", "smsSubscription", "ipAddress", passdata, "statusCode", status, "createdAt",
     "updatedAt"
   FROM json_to_recordset($1::json) AS r(
     "passId" bigint, "brandId" text, "programId" text, "uniqueId" text, "personId" text, "serialNumber" text,
     "templateId" bigint, "templateTierId" bigint, "groupId" text, "currentMessage" text, "smsSubscription" integer,
     "ipAddress" text, passdata jsonb, "statusCode" text, status integer, "createdAt" bigint, "updatedAt" bigint)
   ON CONFLICT (pass_id) DO UPDATE SET
     template_id = excluded.template_id, template_tier_id = excluded.template_tier_id, group_id = excluded.group_id,
     current_message = excluded.current_message, sms_subscription = excluded.sms_subscription,
     ip_address = excluded.ip_address, passdata = excluded.passdata, status_code = excluded.status_code,
     status = excluded.status, updated_at = excluded.updated_at`,
);

/** Inserts new passes and overwrites known ones. */
export async function savePasses(session: SqlSession, passes: readonly Pass[]): Promise<void> {
  if (passes.length > 0) await session.query(savePassesStatement, [JSON.stringify(passes)]);
}
