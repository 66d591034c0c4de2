/** What a record says as an event, however it came: as a structured CloudEvent, or with its attributes in headers. */
export interface DecodedRecord {
  readonly mode: 'structured' | 'binary';
  readonly event: Readonly<Record<string, unknown>>;
}

interface RecordText {
  readonly headers: string;
  readonly value: string | null;
}

type JsonObject = Readonly<Record<string, unknown>>;

export function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const headerPrefix = 'ce_';

function attributesOf(headers: unknown): JsonObject {
  if (!isJsonObject(headers)) return {};
  const attributes = Object.entries(headers).filter(([name]) => name.startsWith(headerPrefix));
  return Object.fromEntries(attributes.map(([name, value]) => [name.slice(headerPrefix.length), value]));
}

const saysStructured = (headers: unknown): boolean =>
  isJsonObject(headers) && String(headers['content-type']).startsWith('application/cloudevents');

/** Null where it is no event: then only the text that arrived can be shown. */
export function decodeRecord({ headers, value }: RecordText): DecodedRecord | null {
  const body = parseJson(value);
  const named = parseJson(headers);
  const attributes = attributesOf(named);
  const isBinary = ('specversion' in attributes || 'type' in attributes) && !saysStructured(named);
  if (isBinary) return { mode: 'binary', event: { ...attributes, data: body ?? value } };
  return isJsonObject(body) ? { mode: 'structured', event: body } : null;
}

/** With line breaks where it is JSON; as it came where it is not. */
export function prettyText(text: string | null): string {
  const parsed = parseJson(text);
  return parsed === undefined ? (text ?? '') : JSON.stringify(parsed, null, 2);
}

/** What stands at a path such as `data.lines.0.sku`; undefined where there is nothing. */
export function valueAt(event: unknown, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<unknown>((value, step) => {
    const isNested = typeof value === 'object' && value !== null;
    return isNested && Object.hasOwn(value, step) ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
  }, event);
}
