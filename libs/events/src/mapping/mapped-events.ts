import { z } from 'zod';

import { stripTypePrefix } from '#events/core';

import { isSourceEventName, SOURCE_EVENT_SCHEMAS } from '../source-events.js';
import type { MappedEvent } from './compiled-map.js';
import { MapRefusal } from './map-error.js';
import { eventsBytesMax, eventsOfRecordMax, tooDeep, valueDepthMax } from './map-limits.js';
import { isList, isObject, setField, type MapObject, type Value } from './values.js';

/** Which fields of an event are lists: JSONata makes one thing of a list of one. */
interface ListFields {
  readonly isList: boolean;
  readonly fields: ReadonlyMap<string, ListFields>;
}

const listFields = new Map<string, ListFields>();

function listFieldsOf(type: string): ListFields | undefined {
  const name = stripTypePrefix(type);
  if (name === null || !isSourceEventName(name)) return undefined;
  const known = listFields.get(name) ?? readListFields(SOURCE_EVENT_SCHEMAS[name]);
  listFields.set(name, known);
  return known;
}

function readListFields(schema: unknown): ListFields {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  if (inner instanceof z.ZodArray) return { isList: true, fields: readListFields(inner.element).fields };
  const shape = inner instanceof z.ZodObject ? Object.entries(inner.shape) : [];
  return { isList: false, fields: new Map(shape.map(([name, field]) => [name, readListFields(field)])) };
}

/** What a map has made, where it is not what it must be. */
export class OutputRefusal extends MapRefusal {
  constructor(
    readonly path: string,
    rule: string,
  ) {
    super(rule);
  }
}

/**
 * The events that a map has made: nothing is none, one is a list of one.
 * @param words names that the map itself writes: others could be values of the record, and are not shown
 * @throws OutputRefusal
 */
export function eventsOf(value: Value, words: ReadonlySet<string>): readonly MappedEvent[] {
  const made = isList(value) ? value : [value];
  const events = value === undefined ? [] : made;
  if (events.length > eventsOfRecordMax) throw new OutputRefusal('events', `are more than ${eventsOfRecordMax}`);
  const writer = new EventWriter(words);
  return events.map((event, at) => writer.event(event, `events[${at}]`));
}

/** Writes plain JSON values, up to a size. */
class EventWriter {
  private bytes = 0;

  constructor(private readonly words: ReadonlySet<string>) {}

  event(value: Value, path: string): MappedEvent {
    if (!isObject(value)) throw new OutputRefusal(path, 'must be an object: attributes of a CloudEvent, and data');
    const { type } = value;
    const fields = typeof type === 'string' ? listFieldsOf(type) : undefined;
    const event: Record<string, unknown> = { specversion: '1.0' };
    for (const [name, attribute] of Object.entries(value)) {
      this.count(name.length, path);
      setField(
        event as MapObject,
        name,
        this.plain(attribute, this.below(path, name), name === 'data' ? fields : undefined),
      );
    }
    return event;
  }

  private below(path: string, name: string): string {
    return `${path}.${this.words.has(name) ? name : '*'}`;
  }

  private count(bytes: number, path: string): void {
    this.bytes += bytes;
    if (this.bytes > eventsBytesMax) {
      throw new OutputRefusal(path, `the events of a record hold more than ${eventsBytesMax} bytes`);
    }
  }

  private plain(value: Value, path: string, fields: ListFields | undefined, depth = 1): Value {
    if (depth > valueDepthMax) throw new OutputRefusal(path, tooDeep);
    if (isList(value)) return this.list(value, path, fields, depth);
    if (fields?.isList === true && value !== null && value !== undefined) {
      return this.list([value], path, fields, depth);
    }
    return isObject(value) ? this.object(value, path, fields, depth) : this.scalar(value, path);
  }

  private list(values: readonly Value[], path: string, fields: ListFields | undefined, depth: number): Value {
    const ofItem: ListFields | undefined = fields === undefined ? undefined : { ...fields, isList: false };
    return Array.from(values, (each, at) => this.plain(each, `${path}[${at}]`, ofItem, depth + 1));
  }

  private object(value: MapObject, path: string, fields: ListFields | undefined, depth: number): Value {
    const object: MapObject = {};
    for (const [name, field] of Object.entries(value)) {
      this.count(name.length + 4, path);
      setField(object, name, this.plain(field, this.below(path, name), fields?.fields.get(name), depth + 1));
    }
    return object;
  }

  private scalar(value: Value, path: string): Value {
    if (typeof value === 'object' && value !== null) {
      throw new OutputRefusal(path, 'is a function or a pattern, no value');
    }
    this.count(typeof value === 'string' ? Buffer.byteLength(value) + 3 : 8, path);
    return value ?? null;
  }
}
