import { z } from 'zod';
import { fitting } from './load-specification.js';
import { callNameSchema } from './specification.js';
import { specificationPath } from './specification-file.js';

const text = z.string().min(1);
const id = z.union([text, z.int()]).transform(String);

/** The setup file; every value may be null where there is no such thing. See specification/setup.yaml. */
const setupSchema = z.strictObject({
  brand: id,
  program: id,
  memberKey: text,
  template: z.int().nullable(),
  tier: z.int().nullable(),
  status: z.strictObject({ name: text, number: z.int() }).nullable(),
  workflows: z.strictObject({
    issue: z.strictObject({ program: id, id }).nullable(),
    update: z.strictObject({ program: id, id }).nullable(),
  }),
  rewards: z.strictObject({ first: z.strictObject({ id, pointsDelta: z.number().nullable() }).nullable() }),
  transactionTypes: z.strictObject({
    main: z.strictObject({ id, name: text.nullable() }).nullable(),
    unique: z.array(z.strictObject({ id, attribute: text.nullable() })),
    spare: z.strictObject({ brand: id, program: id, id }).nullable(),
  }),
  email: z.strictObject({ brand: id, program: id, memberKey: text }).nullable(),
  brandName: text.nullable(),
  knownMember: text.nullable(),
  scheduleWithinMs: z.int().positive(),
  tokenExpiryWaitMs: z.int().nonnegative(),
  mayNot: z.array(callNameSchema),
});

export type Setup = z.output<typeof setupSchema>;

/** The setup of a file, or that of the sandbox's default seed. @throws DataError */
export function loadSetup(path: string | null): Setup {
  return fitting(path ?? specificationPath('setup.yaml'), setupSchema);
}
