import type { Database } from '#platform';
import { statement } from '../store/statement.js';
import type { CardFace } from './card.js';

/** Asks for nothing that is not on the card, so that nothing else can slip onto its page. */
const selectCardFaceStatement = statement(
  'select_card_face',
  `SELECT p.brand_id AS "brandId", p.program_id AS "programId", p.serial_number AS "serialNumber",
     p.template_id AS "templateId", p.template_tier_id AS "templateTierId", p.current_message AS message,
     p.status_code AS "statusCode", h.attributes ->> 'firstName' AS "firstName",
     h.attributes ->> 'lastName' AS "lastName",
     jsonb_strip_nulls(jsonb_build_object(
       'points', p.passdata -> 'points', 'status', p.passdata -> 'status', 'seat', p.passdata -> 'seat',
       'row', p.passdata -> 'row', 'section', p.passdata -> 'section', 'gate', p.passdata -> 'gate',
       'expiryDate', p.passdata -> 'expiryDate')) AS fields
   FROM wallet_sandbox.pass p LEFT JOIN wallet_sandbox.person h ON h.person_id = p.person_id
   WHERE p.serial_number = $1`,
);

/** The card of a serial number, as last committed; null when there is none. */
export async function selectCardFace(database: Database, serialNumber: string): Promise<CardFace | null> {
  if (serialNumber.includes('\0')) return null;
  return (await database.execute<CardFace>(selectCardFaceStatement, [serialNumber])).rows[0] ?? null;
}
