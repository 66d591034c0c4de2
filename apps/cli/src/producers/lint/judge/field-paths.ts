import { z } from 'zod';

import { SOURCE_EVENT_SCHEMAS, type SourceEvent } from '#contracts';

/** A path into an event's data; `lines[]` stands for every member of the list. */
export type FieldPath = readonly string[];

/** Fields that the schema of the event's type does not know: they are kept. Each path once. */
export function unknownFields({ name, data }: SourceEvent): readonly FieldPath[] {
  const found = walk(SOURCE_EVENT_SCHEMAS[name], data, []);
  return [...new Map(found.map((path) => [JSON.stringify(path), path])).values()];
}

function walk(schema: unknown, value: unknown, path: FieldPath): readonly FieldPath[] {
  const inner = withoutNull(schema);
  if (inner instanceof z.ZodArray) return walkMembers(inner.element, value, path);
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  const shape = inner.shape as Readonly<Record<string, unknown>>;
  return Object.entries(value).flatMap(([key, member]) =>
    Object.hasOwn(shape, key) ? walk(shape[key], member, [...path, key]) : [[...path, key]],
  );
}

function walkMembers(schema: unknown, value: unknown, path: FieldPath): readonly FieldPath[] {
  const listed = [...path.slice(0, -1), `${path.at(-1) ?? ''}[]`];
  return Array.isArray(value) ? value.flatMap((member: unknown) => walk(schema, member, listed)) : [];
}

/** Without the `optional` and `nullable` around it. */
function withoutNull(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  return inner;
}
