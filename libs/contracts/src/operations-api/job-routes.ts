import type { z } from 'zod';

import type { ApiRoute } from './api-route.js';
import { READ, RESUMED_OR_CANCELLED } from './route-beginnings.js';
import {
  jobLinesPageSchema,
  jobLinesQuerySchema,
  jobListSchema,
  jobSteeringSchema,
  jobViewSchema,
} from './jobs-api.js';

interface JobRoutes {
  /** Below `/api/v1`, such as `/adoptions`. */
  readonly path: string;
  /** What such jobs do, such as `Adoptions`. */
  readonly what: string;
  readonly role: 'operator' | 'admin';
  readonly body: z.ZodType;
  /** Of `GET …/{id}/lines`, where it is not the usual one. */
  readonly lines?: { readonly query: z.ZodObject; readonly answer: z.ZodType };
}

const usualLines = { query: jobLinesQuerySchema, answer: jobLinesPageSchema };

/** The routes that every kind of stored job has. */
export function jobRoutes({ path, what, role, body, lines = usualLines }: JobRoutes): ApiRoute[] {
  return [
    { ...READ, path, summary: what, answer: jobListSchema },
    { method: 'post', path, role, summary: `${what}: begin one`, body, answer: jobViewSchema },
    { ...READ, path: `${path}/{id}`, summary: `${what}: how far one is`, answer: jobViewSchema },
    { ...READ, path: `${path}/{id}/lines`, summary: `${what}: what one found`, ...lines },
    ...(['pause', 'resume', 'cancel'] as const).map((steering) => ({
      method: 'post' as const,
      path: `${path}/{id}/${steering}`,
      role: 'operator' as const,
      ...(steering === 'pause' ? {} : { adminFor: RESUMED_OR_CANCELLED }),
      summary: `${what}: ${steering} one`,
      body: jobSteeringSchema,
      answer: jobViewSchema,
    })),
  ];
}
