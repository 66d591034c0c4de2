import { MalformedError } from '../byte-reader.js';
import { decimalText, type OpenDocument, setMember } from '../exact-values.js';
import type { ExactDocument } from '../source-format.js';

type Fields = Readonly<Record<string, ExactDocument>>;

/** As Kafka Connect writes JSON: `schema` beside `payload`, or the payload alone. */
const connectDecimal = 'org.apache.kafka.connect.data.Decimal';
const variableScale = 'io.debezium.data.VariableScaleDecimal';

export function isFields(document: ExactDocument | undefined): document is Fields {
  return typeof document === 'object' && document !== null && !Array.isArray(document);
}

/**
 * The payload of Kafka Connect's JSON. Where its schema stands beside it, decimals are written as decimals; without one their bytes
 * stay, for nothing says where the point belongs.
 * @throws MalformedError
 */
export function connectPayload(document: ExactDocument): ExactDocument {
  if (!isFields(document) || Object.keys(document).toSorted().join() !== 'payload,schema') return document;
  const { schema, payload = null } = document;
  return isFields(schema) ? valueOf(payload, schema) : payload;
}

function valueOf(value: ExactDocument, schema: Fields): ExactDocument {
  if (value === null) return null;
  if (schema['name'] === connectDecimal) return fixedDecimal(value, schema);
  if (schema['name'] === variableScale) return isFields(value) ? decimalOf(value['value'], value['scale']) : value;
  if (Array.isArray(value)) return listOf(value, schema['items']);
  return isFields(value) ? membersOf(value, schema) : value;
}

function listOf(values: readonly ExactDocument[], items: ExactDocument | undefined): ExactDocument {
  return isFields(items) ? values.map((each) => valueOf(each, items)) : values;
}

function fixedDecimal(value: ExactDocument, { parameters }: Fields): ExactDocument {
  return decimalOf(value, isFields(parameters) ? parameters['scale'] : undefined);
}

const wholePattern = /^-?\d{1,6}$/;

function decimalOf(value: ExactDocument | undefined, scale: ExactDocument | undefined): string {
  if (typeof value !== 'string' || typeof scale !== 'string' || !wholePattern.test(scale)) {
    throw new MalformedError('a decimal without its scale');
  }
  return decimalText(Buffer.from(value, 'base64'), Number(scale));
}

/** Of a struct each member has a field of its own, of a map all have one. */
function membersOf(value: Fields, { fields, values }: Fields): Fields {
  const byName = new Map(
    (Array.isArray(fields) ? fields : []).filter(isFields).map((field) => [field['field'], field]),
  );
  const document: OpenDocument = {};
  for (const [name, member] of Object.entries(value)) {
    const schema = byName.get(name) ?? values;
    setMember(document, name, isFields(schema) ? valueOf(member, schema) : member);
  }
  return document;
}
