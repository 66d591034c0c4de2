import { z } from 'zod';

const portSchema = z.coerce.number().int().min(0).max(65_535);
const secondsSchema = z.coerce.number().int().min(1).max(31_536_000);

/** contracts.md section 9. An empty value counts as not set. */
const environmentSchema = z.object({
  SANDBOX_PORT: portSchema.default(4010),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_CLIENT_ID: z.string().default('sandbox'),
  SANDBOX_CLIENT_SECRET: z.string().default('sandbox'),
  SANDBOX_SCOPE: z.string().optional(),
  SANDBOX_TOKEN_TTL_S: secondsSchema.default(3600),
  SANDBOX_SEED: z.string().optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional(),
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
    databaseUrl: value.DATABASE_URL ?? null,
  };
}
