import { z } from 'zod';

import type { Environment, OperationsEnvironment } from '#contracts';
import { errorCode } from '#platform';

import type { Examination } from './examination.js';
import { readMs } from './examination.js';
import type { Finding } from './finding.js';
import { failed, ok, skipped, warning } from './finding.js';

const accessName = 'operations.access';
const readOnlyNow = 'Nobody can replay, pause or cancel anything until OPS_READ_ONLY is off.';
const nobodyActs = 'Nobody can replay, pause or cancel anything: add a token with the role operator to OPS_TOKENS.';
const metricsOfAll =
  'Tokens are limited to programs, and anybody may read the metrics of all: set OPS_METRICS to token or off.';

/** Whether there may be tokens that are limited to programs. */
function isLimited({ tokens, oidc }: OperationsEnvironment): boolean {
  return (oidc !== null && oidc.programsClaim !== null) || tokens.some(({ programs }) => programs !== undefined);
}

/** Who may use the operations API. */
export function judgeAccess({ roles, operations }: Pick<Environment, 'roles' | 'operations'>): Finding {
  if (!roles.includes('operations')) return skipped(accessName, 'this process has no operations role');
  const { tokens, oidc, readOnly } = operations;
  const count = (role: string): number => tokens.filter((token) => token.role === role).length;
  const parts = [
    `tokens: ${count('viewer')} viewer, ${count('operator')} operator, ${count('admin')} admin`,
    ...(oidc === null ? [] : ['others by OIDC']),
    ...(readOnly ? ['read-only (OPS_READ_ONLY)'] : []),
  ];
  const detail = parts.join('; ');
  const remedy = accessRemedy(operations, count('operator') + count('admin'));
  return remedy === null ? ok(accessName, detail) : warning(accessName, { detail, remedy });
}

/** @param acting tokens of those who may do something @returns null: whoever is needed may be there */
function accessRemedy(operations: OperationsEnvironment, acting: number): string | null {
  const { oidc, readOnly, metrics } = operations;
  if (acting === 0 && oidc === null) return nobodyActs;
  if (readOnly) return readOnlyNow;
  return metrics === 'open' && isLimited(operations) ? metricsOfAll : null;
}

const oidcName = 'operations.oidc';
const answerBytesMax = 1_048_576;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url(), token_endpoint: z.url().optional() });
const keysSchema = z.object({ keys: z.array(z.unknown()) });

/** The issuer cannot be used; the message is ours. */
class OidcTrouble extends Error {}

async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (!response.ok) throw new OidcTrouble(`${url} answers ${response.status}`);
  const text = await boundedText(response);
  if (text === null) throw new OidcTrouble(`${url} answers too much`);
  try {
    return JSON.parse(text);
  } catch {
    throw new OidcTrouble(`${url} answers no JSON`);
  }
}

/** Null where it is longer than anything we would understand. */
async function boundedText({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Oidc = NonNullable<OperationsEnvironment['oidc']>;

async function inspectIssuer({ issuer, console }: Oidc, signal: AbortSignal): Promise<Finding> {
  const discovery = discoverySchema.safeParse(await readJson(`${issuer}/.well-known/openid-configuration`, signal));
  if (!discovery.success) throw new OidcTrouble('its configuration names no issuer or no keys');
  // Trailing slashes have been cut off ours.
  if (discovery.data.issuer.replace(/\/+$/, '') !== issuer) {
    throw new OidcTrouble('it calls itself by another name: its tokens would be refused');
  }
  const keys = keysSchema.safeParse(await readJson(discovery.data.jwks_uri, signal));
  if (!keys.success || keys.data.keys.length === 0) throw new OidcTrouble('it has no keys');
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
  if (error instanceof OidcTrouble) return error.message;
  const cause: unknown = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : null;
  return `it cannot be reached (${errorCode(cause) ?? 'no answer'})`;
}

const oidcRemedy =
  'Nobody can log in by OIDC meanwhile; tokens of OPS_TOKENS work. Check OPS_OIDC_ISSUER against `iss` of a token, and that this ' +
  'machine reaches it.';

async function examineIssuer(oidc: Oidc, signal: AbortSignal): Promise<Finding> {
  try {
    return await inspectIssuer(oidc, signal);
  } catch (error) {
    return failed(oidcName, { detail: reasonOf(error), remedy: oidcRemedy });
  }
}

/** The issuer whose tokens we accept: it is there, calls itself so, has keys, and lets the console log people in. */
export function checkOidc(examination: Examination, oidc: Oidc): void {
  examination.check({ name: oidcName, timeoutMs: readMs, remedy: oidcRemedy }, async (signal) => ({
    findings: [await examineIssuer(oidc, signal)],
    value: null,
  }));
}
