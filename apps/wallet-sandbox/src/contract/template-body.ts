import { z } from 'zod';
import { nameSchema } from './name.js';

/** Body of 4.12; both are taken to be required. */
export const templateBodySchema = z.strictObject({ name: nameSchema, passType: nameSchema });

export type TemplateBody = z.output<typeof templateBodySchema>;

/** Wallet template of partner-api.md section 2, as it is answered. */
export const templateSchema = z.object({ templateId: z.int(), name: nameSchema });

export type TemplateAnswer = z.output<typeof templateSchema>;
