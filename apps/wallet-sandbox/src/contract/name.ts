import { z } from 'zod';

/** A name that somebody gives to something. */
export const nameSchema = z.string().min(1);
