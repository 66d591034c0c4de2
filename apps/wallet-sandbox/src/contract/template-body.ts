import { z } from 'zod';
import { nameSchema } from './name.js';

/** Body of 4.12; both are taken to be required. */
export const templateBodySchema = z.strictObject({ name: nameSchema, passType: nameSchema });

export type TemplateBody = z.output<typeof templateBodySchema>;
