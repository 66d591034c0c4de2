import { createHash } from 'node:crypto';

import type { JobView } from '#contracts';
import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

/** An answer of the operations API. */
interface ApiAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The bearer token of the operator of that role. */
export function tokenOf(role: Role): string {
  return `${role}-token-of-the-tests`;
}

/** `OPS_TOKENS` for one operator of each role, by the names of their roles. */
export const apiTokens = roles
  .map((role) => `${role}:${role}:${createHash('sha256').update(tokenOf(role)).digest('hex')}`)
  .join(',');

/** Asks a daemon's operations API, as an operator of some role. */
export class ApiClient {
  constructor(
    private readonly daemon: RunningProcess,
    private readonly role: Role,
  ) {}

  async get(path: string): Promise<ApiAnswer> {
    return this.ask('GET', path);
  }

  async post(path: string, body?: unknown): Promise<ApiAnswer> {
    return this.ask('POST', path, body);
  }

  async delete(path: string, body?: unknown): Promise<ApiAnswer> {
    return this.ask('DELETE', path, body);
  }

  private async ask(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const { operations } = this.daemon.ready as unknown as { readonly operations: string };
    const response = await fetch(`${operations}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokenOf(this.role)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      contentType: response.headers.get('content-type'),
      body: JSON.parse(text) as unknown,
    };
  }
}

const patient = { timeoutMs: 240_000, intervalMs: 100 };

/** Waits until a stored job stands as wanted. @throws when it fails */
export async function awaitJob(client: ApiClient, id: string, isThere: (job: JobView) => boolean): Promise<JobView> {
  const look = async (): Promise<JobView | undefined> => {
    const job = (await client.get(`/jobs/${id}`)).body as JobView;
    if (job.state === 'failed') throw new Error(`the job has failed: ${String(job.error)}`);
    return isThere(job) ? job : undefined;
  };
  return waitUntil(look, { what: `the job ${id}`, ...patient });
}

interface Records {
  readonly kind: 'resubmit' | 'discard';
  readonly query: object;
  readonly reason: string;
}

/** Has many records that were set aside dealt with, as soon as that is planned. @returns the job at its end */
export async function settleRecords(client: ApiClient, { kind, query, reason }: Records): Promise<JobView> {
  const { status, body } = await client.post('/jobs', { kind, query, reason });
  if (status !== 200) throw new Error(`no job was made: ${status} ${JSON.stringify(body)}`);
  const { id } = body as JobView;
  const { selection } = await awaitJob(client, id, ({ state }) => state === 'planned');
  await client.post(`/jobs/${id}/start`, { reason, items: selection?.items });
  return awaitJob(client, id, ({ state }) => state === 'done');
}

export async function linesOf(client: ApiClient, id: string): Promise<Record<string, unknown>[]> {
  const { body } = await client.get(`/jobs/${id}/lines?limit=500`);
  return (body as { readonly items: Record<string, unknown>[] }).items;
}
