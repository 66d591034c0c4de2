import { z } from 'zod';
import { type Environment, LOG_LEVELS, type ProcessEnvironment, ROLES, type Role, type Secret } from './environment.js';
import { choiceSchema, integerSchema, listSchema } from './value-schemas.js';
import type { VariableReader } from './variables.js';

const isRole = (name: string): name is Role => ROLES.some((role) => role === name);

const rolesSchema = listSchema
  .refine((names) => names.length > 0 && names.every(isRole), { error: `must be a comma list of ${ROLES.join(', ')}` })
  .transform((names) => ROLES.filter((role) => names.includes(role)));

/** How many cells one installation may have. */
export const cellCountMax = 1024;

const cellSchema = z.string().transform((text, context): Environment['cell'] => {
  const [, index = '', count = ''] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const cell = { index: Number(index), count: Number(count) };
  if (count !== '' && cell.count >= 1 && cell.count <= cellCountMax && cell.index < cell.count) return cell;
  context.addIssue(`must be i/N with 0 <= i < N <= ${cellCountMax}`);
  return z.NEVER;
});

const keyBytes = 32;

const keysSchema = listSchema.transform((items, context) => {
  const keys = items.map(decodeKey);
  if (keys.length > 0 && keys.every((key) => key !== null)) return keys;
  context.addIssue(`must be base64 of ${keyBytes} bytes, several separated by commas`);
  return z.NEVER;
});

/** In the order of `ROLES`; all when nothing is set. */
export function readRoles(variables: VariableReader): readonly Role[] {
  return variables.withDefault('LOYALTYD_ROLES', rolesSchema, [...ROLES]);
}

export function readCell(variables: VariableReader): Environment['cell'] {
  return variables.withDefault('LOYALTYD_CELL', cellSchema, { index: 0, count: 1 });
}

export function readEncryptionKeys(variables: VariableReader, isRequired: boolean): readonly Uint8Array[] | null {
  const name = 'LOYALTYD_ENCRYPTION_KEY';
  const secret = isRequired ? variables.requiredSecret(name) : variables.secret(name);
  if (secret === null) return null;
  const parsed = keysSchema.safeParse(secret.value);
  if (parsed.success) return parsed.data;
  variables.fail(name, parsed.error.issues[0]?.message ?? 'invalid');
  return null;
}

export function readProcess(variables: VariableReader): ProcessEnvironment {
  return {
    logLevel: variables.withDefault('LOG_LEVEL', choiceSchema(LOG_LEVELS), 'info'),
    shutdownGraceMs: variables.withDefault('SHUTDOWN_GRACE_MS', integerSchema(0, 600_000), 25_000),
    httpsProxy: readProxy(variables),
    // The lower-case name wins, as in curl.
    noProxy: variables.text('no_proxy') ?? variables.text('NO_PROXY'),
  };
}

function readProxy(variables: VariableReader): Secret | null {
  const secret = variables.secret('HTTPS_PROXY');
  if (secret === null || ['http:', 'https:'].includes(URL.parse(secret.value)?.protocol ?? '')) return secret;
  return variables.fail('HTTPS_PROXY', 'must be an http or https address');
}

function decodeKey(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null;
  // Buffer reads both base64 alphabets.
  const bytes = Buffer.from(text, 'base64');
  return bytes.byteLength === keyBytes ? new Uint8Array(bytes) : null;
}
