import type { z } from 'zod';

/** Metadata key under which an endpoint keeps what it says about itself. */
export const DESCRIPTION = Symbol('description');

/** What `/openapi.json` says of an endpoint beyond its path and the schemas that validate its requests. */
export interface EndpointDescription {
  /** The section of partner-api.md that defines it. */
  readonly section: string;
  readonly summary: string;
  /** The body of a success. */
  readonly answer: z.ZodType;
}
