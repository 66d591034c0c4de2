import type { AttributeSource, Program, SourceEvent } from '#contracts';

import { type FieldPath, unknownFields } from './field-paths.js';
import { isPurchase } from './purchase.js';
import { type Warning, warning } from './warning.js';

/** How many fields of one sample are named. */
export const unsentFieldsMax = 20;

/** A field's name is the producer's; one that is longer than this is cut. */
const pathLengthMax = 200;

/** Fields that are kept with the event and never reach the partner. Without a programs file some of them still may. */
export function unsentFields(event: SourceEvent, program: Program | null): readonly Warning[] {
  const unsent = program === null ? unsentAnywhere(event) : unsentBy(program, event);
  const rule =
    program === null
      ? 'not a field of this event: kept, and sent only where a programs file maps it'
      : 'not a field of this event, nor mapped by the program: kept, and not sent';
  return unsent.slice(0, unsentFieldsMax).map((path) => warning('unsent-field', `${pathText(path)}: ${rule}`));
}

function pathText(path: FieldPath): string {
  return ['data', ...path].join('.').slice(0, pathLengthMax);
}

/** A person's further fields are there to be mapped. */
function unsentAnywhere(event: SourceEvent): readonly FieldPath[] {
  return unknownFields(event).filter(([root]) => root !== 'person');
}

function unsentBy(program: Program, event: SourceEvent): readonly FieldPath[] {
  const mapped = mappedPaths(program, event).map((path) => path.join('.'));
  return [...unknownFields(event), ...attributePaths(event)].filter((path) => !isMapped(path.join('.'), mapped));
}

/** What a program reads of attributes it names one by one. */
function attributePaths(event: SourceEvent): readonly FieldPath[] {
  const attributes = isPurchase(event) ? event.data.attributes : null;
  return Object.keys(attributes ?? {}).map((key) => ['attributes', key]);
}

/** True when it is a mapped path, or lies within one or around one. */
function isMapped(path: string, mapped: readonly string[]): boolean {
  return mapped.some((text) => text === path || text.startsWith(`${path}.`) || path.startsWith(`${text}.`));
}

function mappedPaths(program: Program, { name }: SourceEvent): readonly FieldPath[] {
  const sources = Object.values(sourcesByType[name]?.(program) ?? {});
  const paths = sources.flatMap((source) => (source.kind === 'path' ? [source.path] : []));
  return [...paths, ...program.purchaseKey];
}

type Sources = Readonly<Record<string, AttributeSource>>;

/** What a program maps of each type of event. */
const sourcesByType: Partial<Record<SourceEvent['name'], (program: Program) => Sources>> = {
  'loyalty.member.enrolled.v1': ({ personAttributes }) => personAttributes,
  'loyalty.member.updated.v1': ({ personAttributes }) => personAttributes,
  'loyalty.purchase.completed.v1': ({ purchases }) => attributesOf(purchases.completed),
  'loyalty.purchase.refunded.v1': ({ purchases }) => attributesOf(purchases.refunded),
  'loyalty.purchase.voided.v1': ({ purchases }) => attributesOf(purchases.voided),
};

function attributesOf(mapping: Program['purchases']['completed']): Sources {
  return mapping?.via === 'transaction' ? mapping.attributes : {};
}
