import type { CompiledKey, CompiledMap, KeyResult, MapInput, MapResult } from './compiled-map.js';
import { RECORD } from './infer-kinds.js';
import { judgeMap } from './judge-map.js';
import { MapRefusal } from './map-error.js';
import { partsOf, type MapNode } from './map-syntax.js';
import { eventsOf, OutputRefusal } from './mapped-events.js';
import { readMap } from './read-map.js';
import { Frame, MapRun } from './run-map.js';
import { SoughtFields } from './sought-fields.js';
import type { Value } from './values.js';

/**
 * A map, read and judged once: from then on a function of document and record, and nothing else.
 * @throws MapError with the place and the rule that it breaks
 */
export function compileMap(text: string): CompiledMap {
  const map = judged(text);
  const words = wordsOf(map);
  return { map: async (input) => mapped(map, words, input), persons: (input) => personsOf(map, input) };
}

/** An expression that tells by what a record is ordered, a text. @throws MapError */
export function compileKey(text: string): CompiledKey {
  const expression = judged(text);
  return { read: (input) => keyOf(expression, input) };
}

function judged(text: string): MapNode {
  const map = readMap(text);
  judgeMap(map, text);
  return map;
}

/** Names that a map gives to fields. */
function wordsOf(map: MapNode): ReadonlySet<string> {
  const own = map.kind === 'object' ? [map.pairs] : [];
  const keys = [...own, map.group ?? []].flat().map(([key]) => key);
  const words = keys.flatMap((key) => (key.kind === 'literal' && typeof key.value === 'string' ? [key.value] : []));
  return new Set([...words, ...partsOf(map).flatMap((part) => [...wordsOf(part)])]);
}

/** Neither changes what it is given: a document can be mapped again. */
function evaluated(
  map: MapNode,
  { document, record }: MapInput,
  fields: SoughtFields | null = null,
): { readonly run: MapRun; readonly value: () => Value } {
  const run = new MapRun(document as Value, fields);
  const frame = new Frame(null);
  frame.bind(RECORD, record);
  return { run, value: () => run.evaluateMap(map, frame) };
}

function mapped(map: MapNode, words: ReadonlySet<string>, input: MapInput): MapResult {
  const { run, value } = evaluated(map, input);
  try {
    return { kind: 'events', events: eventsOf(value(), words) };
  } catch (error) {
    return refused(error, run);
  }
}

/** Fields of our events that say whom they are about. */
const personFields: ReadonlySet<string> = new Set(['memberId', 'absorbed', 'email']);

function personsOf(map: MapNode, input: MapInput): readonly string[] {
  const fields = new SoughtFields(personFields);
  const { value } = evaluated(map, input, fields);
  try {
    value();
  } catch (error) {
    if (!(error instanceof MapRefusal)) throw error;
  }
  return fields.texts;
}

function keyOf(expression: MapNode, input: MapInput): KeyResult {
  const { run, value } = evaluated(expression, input);
  try {
    const key = value();
    if (key === undefined || key === null || key === '') return { kind: 'absent' };
    if (typeof key !== 'string') return { kind: 'refused', path: 'key', rule: 'must be text' };
    return { kind: 'key', key };
  } catch (error) {
    return { ...refused(error, run), path: 'key' };
  }
}

function refused(error: unknown, { path }: MapRun): Extract<MapResult, { readonly kind: 'refused' }> {
  if (!(error instanceof MapRefusal)) throw error;
  return { kind: 'refused', path: error instanceof OutputRefusal ? error.path : String(path), rule: error.rule };
}
