import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { stringify } from 'yaml';

import { testDatabase } from '#test-support';

import type { Target } from '../gateway/gateway-line.js';
import { startWalletSandbox } from '../wallet-sandbox.js';

export interface ContractSandbox {
  readonly target: Target;
  stop(): Promise<void>;
}

/** What the sandbox takes for its client. */
const sandboxAccess = { clientId: 'sandbox', clientSecret: 'sandbox', scope: 'admin' };

/** A freshly started sandbox on a database of its own. @param seed its default one where none is given */
export async function contractSandbox(seed?: object): Promise<ContractSandbox> {
  const database = await testDatabase({ migrate: false });
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-contract-'));
  const seedFile = join(folder, 'seed.yaml');
  if (seed !== undefined) await writeFile(seedFile, stringify(seed));
  const options = { databaseUrl: database.url, ...(seed === undefined ? {} : { seed: seedFile }) };
  const sandbox = await startWalletSandbox(options);
  return {
    target: { ...sandboxAccess, baseUrl: sandbox.baseUrl, authUrl: sandbox.authUrl, isSandbox: true },
    stop: async () => {
      await sandbox.stop();
      await Promise.all([database.dispose(), rm(folder, { recursive: true })]);
    },
  };
}

interface TamperedAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** @param request method and path, as in `GET /brands/...` */
export type Tamper = (request: string, answer: TamperedAnswer) => TamperedAnswer;

/** A service that deviates from the document: a sandbox's answers, tampered with on their way. */
export async function tamperingService(
  sandbox: Target,
  tamper: Tamper,
): Promise<{ target: Target; stop(): Promise<void> }> {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const body = await text(request);
    const forwarded = await fetch(`${sandbox.authUrl}${url}`, {
      method,
      headers: pick(headers, ['authorization', 'content-type', 'accept']),
      body: body === '' ? null : body,
    });
    const answered = { status: forwarded.status, body: (await forwarded.json()) as Record<string, unknown> };
    const told = tamper(`${method} ${url}`, answered);
    response.writeHead(told.status, { 'content-type': 'application/json' }).end(JSON.stringify(told.body));
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const authUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    target: { ...sandbox, authUrl, baseUrl: `${authUrl}/brands` },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function pick(headers: IncomingMessage['headers'], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}
