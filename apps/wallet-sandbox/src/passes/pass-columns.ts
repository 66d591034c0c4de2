/** The columns of `wallet_sandbox.pass p` under the names of `Pass`. */
export const passColumns = `
  p.pass_id AS "passId", p.brand_id AS "brandId", p.program_id AS "programId", p.unique_id AS "uniqueId",
  p.person_id AS "personId", p.serial_number AS "serialNumber", p.template_id AS "templateId",
  p.template_tier_id AS "templateTierId", p.group_id AS "groupId", p.current_message AS "currentMessage",
  p.sms_subscription AS "smsSubscription", p.ip_address AS "ipAddress", p.passdata,
  p.status_code AS "statusCode", p.status, p.created_at AS "createdAt", p.updated_at AS "updatedAt"`;
