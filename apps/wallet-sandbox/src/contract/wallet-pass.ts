import { z } from 'zod';
import { indexedCharsMax, numberSchema } from './field-schemas.js';

/** PassData of partner-api.md section 2, without metaData. */
const passDataFields = {
  optOut: z.boolean(),
  points: numberSchema,
  seat: z.string(),
  row: z.string(),
  section: z.string(),
  gate: z.string(),
  expiryDate: z.string(),
  status: z.string(),
  profileImage: z.string(),
};

/** Person input of partner-api.md section 2; further properties (child attributes) exist and are kept. */
const personFields = { firstName: z.string(), lastName: z.string(), email: z.string(), phone: z.string() };

/**
 * Further properties of the issue body (partner-api.md 4.2). groupId, templateId, templateTierId and currentMessage
 * are named as on WalletPass; the names of the others are not shown there and are this sandbox's choice.
 */
const furtherFields = {
  templateId: z.int(),
  templateTierId: z.int(),
  groupId: z.string().max(indexedCharsMax),
  currentMessage: z.string(),
  smsSubscription: z.union([z.literal(200), z.literal(300), z.literal(900)]),
  ipAddress: z.string(),
  programId: z.union([z.string(), z.int()]),
  brandId: z.union([z.string(), z.int()]),
};

const metaDataSchema = z.record(z.string(), z.unknown());

/** Body of 4.2 and of an issuing workflow. */
export const issueBodySchema = z.strictObject({
  person: z.looseObject(personFields).partial().optional(),
  passdata: z
    .strictObject({ ...passDataFields, metaData: metaDataSchema })
    .partial()
    .optional(),
  ...z.object(furtherFields).partial().shape,
});

/** Body of 4.3: as 4.2, and an explicit null clears a field where the workflow updates. */
export const workflowBodySchema = z.strictObject({
  person: z.looseObject(nullable(personFields)).partial().optional(),
  passdata: z
    .strictObject({ ...nullable(passDataFields), metaData: metaDataSchema })
    .partial()
    .optional(),
  ...z.object(nullable(furtherFields)).partial().shape,
});

/** What an issue or update asks for; null only in updates. */
export type PassContent = z.output<typeof workflowBodySchema>;

type NullableFields<Fields extends Readonly<Record<string, z.ZodType>>> = {
  [Name in keyof Fields]: z.ZodNullable<Fields[Name]>;
};

function nullable<Fields extends Readonly<Record<string, z.ZodType>>>(fields: Fields): NullableFields<Fields> {
  const entries = Object.entries(fields).map(([name, schema]) => [name, schema.nullable()]);
  return Object.fromEntries(entries) as NullableFields<Fields>;
}

/** PassData of partner-api.md section 2, as it is answered. */
const passDataSchema = z
  .object({
    optOut: z.boolean(),
    points: numberSchema,
    seat: z.string(),
    row: z.string(),
    section: z.string(),
    gate: z.string(),
    expiryDate: z.string(),
    status: z.string(),
    profileImage: z.string(),
    metaData: z.record(z.string(), z.unknown()),
  })
  .partial();

/** WalletPass of partner-api.md section 2, as it is answered. */
export const walletPassSchema = z.object({
  passId: z.int(),
  serialNumber: z.string(),
  templateId: z.int(),
  groupId: z.string().optional(),
  personId: z.string(),
  templateTierId: z.int().optional(),
  currentMessage: z.string().optional(),
  passdata: passDataSchema,
  downloadUrl: z.url(),
  downloadUrlApple: z.url(),
  downloadUrlGoogle: z.url(),
  statusCode: z.string(),
  status: z.int(),
});

/** Answer of 4.5. */
export const walletPassPageSchema = z.object({
  data: z.array(walletPassSchema),
  pageNumber: z.int(),
  pageSize: z.int(),
  totalCount: z.int(),
});

export type WalletPassPage = z.output<typeof walletPassPageSchema>;
