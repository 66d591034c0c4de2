import { MalformedError } from '../byte-reader.js';
import { decimalText, scaledText } from '../exact-values.js';
import type { ExactDocument } from '../source-format.js';

/** What a message holds, as it is read, and its bytes fields in base64. */
type Fields = Readonly<Record<string, ExactDocument>>;

const nanoDigits = 9;
const nanosPerSecond = 10n ** 9n;
/** From year 1 to 9999, as `google.protobuf.Timestamp` is defined. */
const timestampSeconds = { min: -62_135_596_800n, max: 253_402_300_799n };

function wholeOf(fields: Fields, name: string): bigint {
  const value = fields[name];
  return typeof value === 'string' ? BigInt(value) : 0n;
}

function timestamp(fields: Fields): string {
  const seconds = wholeOf(fields, 'seconds');
  const nanos = wholeOf(fields, 'nanos');
  const isWithin = seconds >= timestampSeconds.min && seconds <= timestampSeconds.max;
  if (!isWithin || nanos < 0n || nanos >= nanosPerSecond) throw new MalformedError('a timestamp beyond its range');
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, -'.000Z'.length);
  const fraction = String(nanos).padStart(nanoDigits, '0').replace(/0+$/, '');
  return fraction === '' ? `${text}Z` : `${text}.${fraction}Z`;
}

function duration(fields: Fields): string {
  const nanos = wholeOf(fields, 'seconds') * nanosPerSecond + wholeOf(fields, 'nanos');
  return `${scaledText(nanos, nanoDigits).replace(/\.?0+$/, '')}s`;
}

function decimal({ value, ...fields }: Fields): string {
  return decimalText(Buffer.from(typeof value === 'string' ? value : '', 'base64'), wholeOf(fields, 'scale'));
}

/** Of an `oneof`, which has one member or none. */
function oneValue(fields: Fields): ExactDocument {
  const [[kind, value] = []] = Object.entries(fields);
  if (kind === undefined || value === undefined) throw new MalformedError('a Value without a kind');
  return /^null_?value$/i.test(kind) ? null : value;
}

const wrapped =
  (absent: ExactDocument) =>
  ({ value = absent }: Fields): ExactDocument =>
    value;

/** Messages that mean a plain value, as Protobuf's own JSON writes them. */
export const wellKnown: ReadonlyMap<string, (fields: Fields) => ExactDocument> = new Map([
  ['.google.protobuf.Timestamp', timestamp],
  ['.google.protobuf.Duration', duration],
  ['.google.protobuf.Struct', ({ fields = {} }) => fields],
  ['.google.protobuf.ListValue', ({ values = [] }) => values],
  ['.google.protobuf.Value', oneValue],
  ...['Int32', 'UInt32', 'Int64', 'UInt64', 'Float', 'Double'].map(
    (name) => [`.google.protobuf.${name}Value`, wrapped('0')] as const,
  ),
  ['.google.protobuf.StringValue', wrapped('')],
  ['.google.protobuf.BytesValue', wrapped('')],
  ['.google.protobuf.BoolValue', wrapped(false)],
  ['.confluent.type.Decimal', decimal],
]);
