import { isMoving, type Job, sendsItems } from './job-kinds.js';
import { type Pause, scopeText } from './pause-words.js';

const isOpen = (job: Pick<Job, 'state'>): boolean => job.state === 'planned' || isMoving(job);
const fits = (asked: unknown, scope: string | null): boolean =>
  scope === null || typeof asked !== 'string' || asked === scope;

/** `store:hamburg` holds nothing of what is asked for of another store. */
function fitsFactor(query: Readonly<Record<string, unknown>>, factor: string | null): boolean {
  if (factor === null) return true;
  const at = factor.indexOf(':');
  const kind = factor.slice(0, at);
  return fits(query[kind === 'member' ? 'memberId' : kind], factor.slice(at + 1));
}

/** Of a program, and of nothing narrower. */
const isWhole = ({ operation, factor }: Pick<Pause, 'operation' | 'factor'>): boolean =>
  operation === null && (factor ?? null) === null;

/** Pauses of delivery that hold what a job would send or ask the partner, all of it or a part. */
export function holdsOf<T extends Pick<Pause, 'program' | 'operation' | 'factor'>>(
  job: Pick<Job, 'kind' | 'state' | 'program' | 'request'>,
  pauses: readonly T[],
): readonly T[] {
  if (!isOpen(job)) return [];
  if (!sendsItems(job)) {
    // What asks the partner waits for a pause of its whole program.
    const asks = job.kind === 'reconcile' || job.kind === 'provision' || job.kind === 'ask';
    return pauses.filter((one) => asks && isWhole(one) && fits(job.program ?? undefined, one.program));
  }
  const query = (job.request.query ?? {}) as Readonly<Record<string, unknown>>;
  return pauses.filter(
    (one) =>
      fits(query.program, one.program) && fits(query.operation, one.operation) && fitsFactor(query, one.factor ?? null),
  );
}

/** `purchases of coffee-club and rewards of tea-club` */
export const holdsText = (holds: readonly Pause[]): string => holds.map(scopeText).join(' and ');
