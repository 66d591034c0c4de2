import type { JobView } from '#contracts';
import { waitUntil } from '#embedded';

import type { ApiClient } from './api-client.js';

export type JobPath = '/adoptions' | '/reconciliations' | '/rereadings';

const patient = { timeoutMs: 240_000, intervalMs: 100 };

/** Waits until a stored job stands as wanted. @throws when it fails */
export async function awaitJob(
  client: ApiClient,
  { path, id }: { readonly path: JobPath; readonly id: string },
  isThere: (job: JobView) => boolean,
): Promise<JobView> {
  const look = async (): Promise<JobView | undefined> => {
    const job = (await client.get(`${path}/${id}`)).body as JobView;
    if (job.state === 'failed') throw new Error(`the job has failed: ${String(job.error)}`);
    return isThere(job) ? job : undefined;
  };
  return waitUntil(look, { what: `${path}/${id}`, ...patient });
}

export async function linesOf(
  client: ApiClient,
  { path, id }: { readonly path: JobPath; readonly id: string },
): Promise<Record<string, unknown>[]> {
  const { body } = await client.get(`${path}/${id}/lines?limit=500`);
  return (body as { readonly items: Record<string, unknown>[] }).items;
}
