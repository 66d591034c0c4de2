import { z } from 'zod';
import type { PemFile, Secret } from './environment.js';

/** The variables as they came; an empty one counts as absent, as shells and charts write it. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Takes variables one by one and gathers what is wrong, one message per variable: `NAME: rule`, never its value. A
 * group of variables is read as a whole and is `null` when something in it was wrong or missing.
 */
export class VariableReader {
  readonly errors: string[] = [];
  /** The paths of the files that were read, by the variable that names each. */
  readonly files = new Map<string, string>();

  constructor(
    private readonly variables: Variables,
    private readonly readFile: (path: string) => string,
  ) {}

  text(name: string): string | null {
    const text = this.variables[name]?.trim() ?? '';
    return text === '' ? null : text;
  }

  isSet(name: string): boolean {
    return this.text(name) !== null || this.text(`${name}_FILE`) !== null;
  }

  fail(name: string, rule: string): null {
    this.errors.push(`${name}: ${rule}`);
    return null;
  }

  /** Whether something was wrong with a variable whose name begins so. */
  hasFailed(prefix: string): boolean {
    return this.errors.some((error) => error.startsWith(prefix));
  }

  /** `null` when absent or, then with an error, when the schema refuses it. */
  optional<Value>(name: string, schema: z.ZodType<Value, string>): Value | null {
    const text = this.text(name);
    return text === null ? null : this.parse(name, text, schema);
  }

  required<Value>(name: string, schema: z.ZodType<Value, string>): Value | null {
    const text = this.text(name);
    return text === null ? this.fail(name, 'required') : this.parse(name, text, schema);
  }

  withDefault<Value>(name: string, schema: z.ZodType<Value, string>, absent: Value): Value {
    return this.optional(name, schema) ?? absent;
  }

  /** `NAME` as it is, or the content of the file in `NAME_FILE` up to its last line break; both are an error. */
  secret(name: string): Secret | null {
    const file = this.text(`${name}_FILE`);
    const value = this.text(name) === null ? null : (this.variables[name] ?? null);
    if (file === null) return value === null ? null : { value, file: null };
    if (value !== null) return this.fail(name, `set it or ${name}_FILE, not both`);
    return this.secretFile(`${name}_FILE`, file);
  }

  requiredSecret(name: string): Secret | null {
    return this.isSet(name) ? this.secret(name) : this.fail(name, 'required');
  }

  /** The file that the variable names, which must hold at least one block of that kind, whole. */
  pem(name: string, kind: 'CERTIFICATE' | 'PRIVATE KEY'): PemFile | null {
    const file = this.text(name);
    const value = file === null ? null : this.content(name, file);
    if (file === null || value === null) return null;
    return holdsPem(value, kind) ? { value, file } : this.fail(name, `the file holds no ${kind} in PEM`);
  }

  private secretFile(name: string, file: string): Secret | null {
    const value = this.content(name, file)?.replace(/\r?\n$/, '') ?? null;
    if (value === null) return null;
    return value === '' ? this.fail(name, 'the file is empty') : { value, file };
  }

  private content(name: string, file: string): string | null {
    this.files.set(name, file);
    try {
      return this.readFile(file);
    } catch {
      return this.fail(name, 'the file cannot be read');
    }
  }

  private parse<Value>(name: string, text: string, schema: z.ZodType<Value, string>): Value | null {
    const parsed = schema.safeParse(text);
    if (parsed.success) return parsed.data;
    const rules = new Set(parsed.error.issues.map(({ message }) => message));
    return this.fail(name, [...rules].join(', '));
  }
}

/** Keys may be `RSA PRIVATE KEY`, `EC PRIVATE KEY` or `ENCRYPTED PRIVATE KEY` as well. Half a file lacks its last end. */
function holdsPem(text: string, kind: string): boolean {
  const count = (line: RegExp): number => text.match(line)?.length ?? 0;
  const isWhole = count(/^-----BEGIN /gm) === count(/^-----END .+-----\s*$/gm);
  return isWhole && new RegExp(`^-----BEGIN (?:[A-Z]+ )?${kind}-----\\s*$`, 'm').test(text);
}

/** Schemas from a variable's text. Their messages are rules and never hold the text. */

export const textSchema = z.string().refine((text) => !/\p{Cc}/u.test(text), { error: 'no control characters' });

export const listSchema = textSchema.transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

export function integerSchema(min: number, max: number): z.ZodType<number, string> {
  const rule = { error: `must be a whole number from ${min} to ${max}` };
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule);
}

export function choiceSchema<const Choice extends string>(choices: readonly Choice[]): z.ZodType<Choice, string> {
  const isChoice = (text: string): text is Choice => choices.some((choice) => choice === text);
  return z
    .string()
    .refine(isChoice, { error: `must be one of ${choices.join(', ')}` })
    .transform((text) => text);
}

const flags: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

export const flagSchema = choiceSchema(['true', 'false', '1', '0']).transform((text) => flags[text] === true);

/** An http or https address without user, query or fragment; trailing slashes are cut off. */
export const urlSchema = z.string().transform((text, context) => {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    context.addIssue('must be an http or https address');
    return z.NEVER;
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    context.addIssue('must have no user, query or fragment');
    return z.NEVER;
  }
  return text.replace(/\/+$/, '');
});

const loopback = /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|::1|\[::1\])$/i;

/** Whether a host is this machine by its very name; what a name server says of it is not asked. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}

/** What carries secrets or personal data leaves this machine only encrypted: https, or http on loopback. */
export function isSecureUrl(text: string): boolean {
  const { protocol, hostname } = URL.parse(text) ?? { protocol: '', hostname: '' };
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

export const secureUrlSchema = urlSchema.refine(isSecureUrl, { error: 'must be https unless it is loopback' });
