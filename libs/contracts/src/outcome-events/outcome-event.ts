import { z } from 'zod';
import { partnerIdSchema } from '../partner/values.js';

/** Whose outcome: every outcome event names the program and the member. */
const whose = { program: z.string(), memberId: z.string() };

const intentShape = {
  ...whose,
  /** The intent's id in the operations API: `PROGRAM~MEMBER~SEQ`, percent-encoded where needed. */
  intentId: z.string(),
  operation: z.string(),
  /** Only of purchases and refunds. */
  purchaseId: z.string().nullable(),
  /** The source record that the intent came from. */
  cause: z.object({ topic: z.string(), partition: z.int(), offset: z.int() }),
};

/**
 * `loyalty.pass.issued.v1`: the member has a pass, and these are its download links. A field that the partner did not
 * tell is null. A pass id beyond 2^53 is its decimal text.
 */
const passIssuedSchema = z.object({
  ...whose,
  passId: partnerIdSchema.nullable(),
  serialNumber: z.string().nullable(),
  downloadUrl: z.string().nullable(),
  downloadUrlApple: z.string().nullable(),
  downloadUrlGoogle: z.string().nullable(),
  statusCode: z.string().nullable(),
});
export type PassIssued = z.infer<typeof passIssuedSchema>;

/** `loyalty.intent.delivered.v1`: the partner has applied it. */
const intentDeliveredSchema = z.object(intentShape);
export type IntentDelivered = z.infer<typeof intentDeliveredSchema>;

/** `loyalty.intent.parked.v1`: a person must look. `holdsLane`: what came after it for this member waits. */
const intentParkedSchema = z.object({ ...intentShape, reason: z.string(), holdsLane: z.boolean() });

/** The event types of the outcomes topic (contracts.md section 1) and what `data` is. */
export const OUTCOME_EVENT_SCHEMAS = {
  'loyalty.pass.issued.v1': passIssuedSchema,
  'loyalty.intent.delivered.v1': intentDeliveredSchema,
  'loyalty.intent.parked.v1': intentParkedSchema,
} as const;

export type OutcomeEventName = keyof typeof OUTCOME_EVENT_SCHEMAS;

/** One outcome with its data, a union on `name`. */
export type OutcomeData = {
  [Name in OutcomeEventName]: { readonly name: Name; readonly data: z.infer<(typeof OUTCOME_EVENT_SCHEMAS)[Name]> };
}[OutcomeEventName];
