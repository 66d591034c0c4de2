import type { Partner } from '../src/partner.js';
import type { AttemptReport, CallOptions } from '../src/port/call.js';

/** Ids of an input; the partner's, each goes into the path or the query. */
export interface Ids {
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string;
  /** Workflow, reward, transaction type or brand attribute. */
  readonly targetId: string;
}

export const plainIds: Ids = { brandId: '101', programId: '2001', uniqueId: 'm_81273', targetId: '77' };

/** One call that changes something, as partner-api.md documents it. */
export interface AttemptCase {
  readonly section: string;
  readonly method: 'POST' | 'PATCH';
  /** Path and query with percent-encoded ids. */
  readonly path: (ids: Ids) => string;
  /** What the body holds; `null` where none is sent. */
  readonly body: (ids: Ids) => unknown;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly call: (partner: Partner, ids: Ids, options: CallOptions) => Promise<AttemptReport<object>>;
}

/** The path of a case's program. */
export const programPath = ({ brandId, programId }: Ids): string => `/${brandId}/programs/${programId}`;
