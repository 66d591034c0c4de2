import { createHash } from 'node:crypto';

import type { RunningProcess } from '#test-support';

/** An answer of the operations API. */
export interface ApiAnswer {
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
