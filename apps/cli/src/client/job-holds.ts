import type { JobView, PauseView } from '#contracts';

import type { ApiClient } from './api-client.js';

/** A job, with the pauses of delivery that hold what it would send or ask the partner, all of it or a part. */
export type WaitingJob = JobView & {
  /** Such as `coffee-club/transaction`; absent: none. */
  readonly waitsFor?: readonly string[];
};

type Scope = Pick<PauseView, 'program' | 'operation' | 'factor'>;

/** What asks the partner waits for a pause of its whole program. */
const askingKinds: readonly string[] = ['ask', 'reconcile', 'provision'];

const isOpen = ({ state }: JobView): boolean => ['planned', 'waiting', 'running'].includes(state);

const sends = ({ kind, request }: JobView): boolean =>
  kind === 'replay' ||
  (kind === 'correct' && request['replay'] === true) ||
  (kind === 'resolve' && request['as'] === 'not-delivered');

const fits = (asked: unknown, scope: string | null): boolean =>
  scope === null || typeof asked !== 'string' || asked === scope;

function fitsFactor(query: Readonly<Record<string, unknown>>, factor: string | null): boolean {
  if (factor === null) return true;
  const at = factor.indexOf(':');
  const kind = factor.slice(0, at);
  return fits(query[kind === 'member' ? 'memberId' : kind], factor.slice(at + 1));
}

function isHeld(job: JobView, { program, operation, factor }: Scope): boolean {
  if (askingKinds.includes(job.kind)) return operation === null && factor === null && fits(job.program, program);
  const query = (job.request['query'] ?? {}) as Readonly<Record<string, unknown>>;
  return (
    sends(job) && fits(query['program'], program) && fits(query['operation'], operation) && fitsFactor(query, factor)
  );
}

const nameOf = ({ program, operation, factor }: Scope): string =>
  [program ?? '*', operation ?? '*', ...(factor === null ? [] : [factor])].join('/');

/** Asks for pauses where one of the jobs might wait for one. */
export async function withHolds(client: ApiClient, jobs: readonly JobView[]): Promise<WaitingJob[]> {
  const mayWait = (job: JobView): boolean => isOpen(job) && (sends(job) || askingKinds.includes(job.kind));
  if (!jobs.some(mayWait)) return [...jobs];
  const { items: pauses } = (await client.get('/pauses', {})) as { readonly items: readonly PauseView[] };
  return jobs.map((job) => {
    const waitsFor = mayWait(job) ? pauses.filter((pause) => isHeld(job, pause)).map(nameOf) : [];
    return waitsFor.length === 0 ? job : { ...job, waitsFor };
  });
}
