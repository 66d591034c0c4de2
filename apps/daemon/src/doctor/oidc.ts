import { z } from 'zod';

import type { OperationsEnvironment } from '#contracts';
import { readJson } from '#contracts';
import { errorCode } from '#platform';

import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { failed, ok, warning } from './finding.js';

const oidcName = 'operations.oidc';
const answerBytesMax = 1_048_576;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url(), token_endpoint: z.url().optional() });
const keysSchema = z.object({ keys: z.array(z.unknown()) });

/** The issuer cannot be used; the message is ours. */
class OidcProblem extends Error {}

async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (!response.ok) throw new OidcProblem(`${url} answers ${response.status}`);
  const bytes = await boundedBytes(response);
  if (bytes === null) throw new OidcProblem(`${url} answers too much`);
  const read = readJson(bytes, answerBytesMax);
  if (!read.ok) throw new OidcProblem(`${url} answers no JSON that we read: ${read.detail}`);
  return read.value;
}

/** Null where it is longer than anything we would understand. */
async function boundedBytes({ body }: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Oidc = NonNullable<OperationsEnvironment['oidc']>;

async function inspectIssuer({ issuer, console }: Oidc, signal: AbortSignal): Promise<Finding> {
  const discovery = discoverySchema.safeParse(await fetchJson(`${issuer}/.well-known/openid-configuration`, signal));
  if (!discovery.success) throw new OidcProblem('its configuration names no issuer or no keys');
  // Trailing slashes have been cut off ours.
  if (discovery.data.issuer.replace(/\/+$/, '') !== issuer) {
    throw new OidcProblem('it calls itself by another name: its tokens would be refused');
  }
  const keys = keysSchema.safeParse(await fetchJson(discovery.data.jwks_uri, signal));
  if (!keys.success || keys.data.keys.length === 0) throw new OidcProblem('it has no keys');
  const detail = `${issuer}: ${keys.data.keys.length} keys`;
  if (console === null || isOfOrigin(discovery.data.token_endpoint, issuer)) return ok(oidcName, detail);
  const elsewhere = `its token endpoint is not at ${new URL(issuer).origin}`;
  return warning(oidcName, { detail: elsewhere, remedy: consoleRemedy });
}

function isOfOrigin(url: string | undefined, issuer: string): boolean {
  return url !== undefined && new URL(url).origin === new URL(issuer).origin;
}

const consoleRemedy =
  "The console logs nobody in by OIDC: its page may talk to the issuer's origin alone. Unset OPS_OIDC_CONSOLE_CLIENT: it " +
  'takes tokens all the same.';

function reasonOf(error: unknown): string {
  if (error instanceof OidcProblem) return error.message;
  const cause: unknown = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : null;
  return `it cannot be reached (${errorCode(cause) ?? 'no answer'})`;
}

export const oidcRemedy =
  'Nobody can log in by OIDC meanwhile; tokens of OPS_TOKENS work. Check OPS_OIDC_ISSUER against `iss` of a token, and that this ' +
  'machine reaches it.';

/** The issuer whose tokens we accept: it answers, names itself as configured, has keys, and lets the console log in. */
export async function checkOidc({ environment, signal }: Given): Promise<readonly Finding[]> {
  const { oidc } = environment.operations;
  if (oidc === null) return [];
  try {
    return [await inspectIssuer(oidc, signal)];
  } catch (error) {
    return [failed(oidcName, { detail: reasonOf(error), remedy: oidcRemedy })];
  }
}
