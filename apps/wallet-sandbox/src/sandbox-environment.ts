import { z } from 'zod';
import { isLoopback } from '#contracts';

const portSchema = z.coerce.number().int().min(0).max(65_535);
const secondsSchema = z.coerce.number().int().min(1).max(31_536_000);

/** It cannot be guessed, and a header can carry it as it is (RFC 6750, section 2.1). */
const controlKeyCharsMin = 16;
const controlKeySchema = z
  .string()
  .min(controlKeyCharsMin)
  .regex(/^[\w~+/.=-]+$/, 'must be letters, digits or -._~+/=');

/** contracts.md section 9. An empty value counts as not set. */
const environmentSchema = z
  .object({
    SANDBOX_PORT: portSchema.default(4010),
    SANDBOX_HOST: z.string().default('127.0.0.1'),
    SANDBOX_CLIENT_ID: z.string().default('sandbox'),
    SANDBOX_CLIENT_SECRET: z.string().default('sandbox'),
    SANDBOX_SCOPE: z.string().optional(),
    SANDBOX_TOKEN_TTL_S: secondsSchema.default(3600),
    SANDBOX_SEED: z.string().optional(),
    SANDBOX_CONTROL_KEY: controlKeySchema.optional(),
    DATABASE_URL: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
      .optional(),
  })
  .refine(({ SANDBOX_HOST: host, SANDBOX_CONTROL_KEY: key }) => isLoopback(host) || key !== undefined, {
    path: ['SANDBOX_CONTROL_KEY'],
    error:
      'required where SANDBOX_HOST is not loopback: whoever reaches the port could read the ledger, break calls and reset all',
    // Beside what else is wrong.
    when: () => true,
  });

export interface SandboxEnvironment {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The only scope that gets a token; null takes any. */
  readonly scope: string | null;
  readonly tokenTtlS: number;
  /** Path of a YAML seed; null takes the default seed. */
  readonly seedFile: string | null;
  /** What calls of `/__ledger` and the like must bring as their bearer token; null: nothing. */
  readonly controlKey: string | null;
  /** null asks for an embedded Postgres. */
  readonly databaseUrl: string | null;
}

/** Every wrong variable, one line each, none with its value. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Reads the variables of contracts.md section 9; throws EnvironmentError with one problem per wrong variable. */
export function readEnvironment(variables: Readonly<Record<string, string | undefined>>): SandboxEnvironment {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    throw new EnvironmentError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const value = parsed.data;
  return {
    port: value.SANDBOX_PORT,
    host: value.SANDBOX_HOST,
    clientId: value.SANDBOX_CLIENT_ID,
    clientSecret: value.SANDBOX_CLIENT_SECRET,
    scope: value.SANDBOX_SCOPE ?? null,
    tokenTtlS: value.SANDBOX_TOKEN_TTL_S,
    seedFile: value.SANDBOX_SEED ?? null,
    controlKey: value.SANDBOX_CONTROL_KEY ?? null,
    databaseUrl: value.DATABASE_URL ?? null,
  };
}
