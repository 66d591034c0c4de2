import { z } from 'zod';
import type { TracingEnvironment } from './environment.js';
import { choiceSchema, flagSchema, textSchema, urlSchema } from './value-schemas.js';
import type { VariableReader } from './variables.js';

const samplerSchema = choiceSchema([
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
]);

const ratioRule = { error: 'must be a number from 0 to 1' };
const ratioSchema = z
  .string()
  .regex(/^\d*\.?\d+$/, ratioRule)
  .transform(Number)
  .refine((ratio) => ratio <= 1, ratioRule);

const pairsSchema = z.string().transform((text, context) => {
  const pairs = parsePairs(text);
  if (pairs !== null) return pairs;
  context.addIssue('must be a comma list of name=value');
  return z.NEVER;
});

/** http/protobuf goes to the same address; what understands it understands JSON. */
const protocolSchema = choiceSchema(['http/json', 'http/protobuf']);

const kinds = { always_on: 'always-on', always_off: 'always-off', traceidratio: 'ratio' } as const;

/**
 * `name=value,name=value` with percent-encoding, as OpenTelemetry writes headers and attributes; null where it is
 * something else.
 */
export function parsePairs(text: string): Readonly<Record<string, string>> | null {
  const pairs = text.split(',').filter((item) => item.trim() !== '');
  const read = pairs.map((item) => /^([^=\s]+)\s*=(.*)$/s.exec(item.trim()));
  try {
    return Object.fromEntries(
      read.map((match) => {
        if (match === null) throw new URIError('no pair');
        return [decodeURIComponent(match[1] ?? ''), decodeURIComponent((match[2] ?? '').trim())];
      }),
    );
  } catch {
    return null;
  }
}

/** The `OTEL_*` variables; `null` when no endpoint is set, or all of it is switched off. */
export function readTracing(variables: VariableReader): TracingEnvironment | null {
  const endpoint = variables.optional('OTEL_EXPORTER_OTLP_ENDPOINT', urlSchema);
  const isDisabled = variables.withDefault('OTEL_SDK_DISABLED', flagSchema, false);
  variables.optional('OTEL_EXPORTER_OTLP_PROTOCOL', protocolSchema);
  const rest = {
    headers: readHeaders(variables),
    serviceName: variables.optional('OTEL_SERVICE_NAME', textSchema),
    resourceAttributes: variables.withDefault('OTEL_RESOURCE_ATTRIBUTES', pairsSchema, {}),
    sampling: readSampling(variables),
  };
  return endpoint === null || isDisabled ? null : { endpoint, ...rest };
}

function readHeaders(variables: VariableReader): TracingEnvironment['headers'] {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = variables.secret(name);
  if (headers === null || parsePairs(headers.value) !== null) return headers;
  return variables.fail(name, 'must be a comma list of name=value');
}

function readSampling(variables: VariableReader): TracingEnvironment['sampling'] {
  const name = variables.withDefault('OTEL_TRACES_SAMPLER', samplerSchema, 'parentbased_always_on');
  const ratio = variables.withDefault('OTEL_TRACES_SAMPLER_ARG', ratioSchema, 1);
  const root = name.replace('parentbased_', '') as keyof typeof kinds;
  return { kind: kinds[root], ratio, isParentBased: name !== root };
}
