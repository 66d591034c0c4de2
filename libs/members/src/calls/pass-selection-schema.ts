import { QUERY_TYPES } from '#contracts';
import { z } from 'zod';
import { idCharsMax } from '#gateway/core';

/** A value to be found by. Empty is refused: the partner could take it for no filter at all. */
export const keyText = z
  .string()
  .min(1)
  .max(idCharsMax)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

/** An id of the partner's, exact: beyond 2^53 as digits. */
const partnerId = z.union([z.int().nonnegative(), z.string().regex(/^(?:0|[1-9]\d{0,99})$/, 'must be digits')]);

const statusCode = z.union([z.int(), keyText]);

/** The largest time that a Date can hold. */
const epochMsMax = 8_640_000_000_000_000;
const epochMs = z.int().min(0).max(epochMsMax);
const compare = z.enum(QUERY_TYPES).optional();

const shared = {
  uniqueId: keyText.optional(),
  email: keyText.optional(),
  serialNumber: keyText.optional(),
  groupId: keyText.optional(),
  templateId: partnerId.optional(),
  templateTierId: partnerId.optional(),
};

/** `PassSelection` */
export const passSelectionSchema = z.strictObject({
  ...shared,
  personId: keyText.optional(),
  statusCode: statusCode.optional(),
});

/** `PassQuery` without its program. */
export const passFilterSchema = z.strictObject({
  ...shared,
  status: z.strictObject({ code: statusCode, compare }).optional(),
  lastUpdated: z.strictObject({ atMs: epochMs, compare }).optional(),
  lastUpdatedFromMs: epochMs.optional(),
  lastUpdatedToMs: epochMs.optional(),
});

export type CheckedSelection = z.infer<typeof passSelectionSchema>;
export type CheckedFilter = z.infer<typeof passFilterSchema>;
