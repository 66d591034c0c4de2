import type { ExactDocument } from '../formats/source-format.js';

/** What a map is applied to. */
export interface MapInput {
  readonly document: ExactDocument;
  /** `$record` of the map. */
  readonly record: {
    readonly topic: string;
    readonly key: string | null;
    readonly headers: Readonly<Record<string, string>>;
    /** When the broker got it, RFC 3339. */
    readonly timestamp: string;
  };
}

/** As a structured CloudEvent says it: attributes and data; nothing of it is checked. */
export type MappedEvent = Readonly<Record<string, unknown>>;

/** `path` is that of the map's output, `rule` what it breaks; neither holds a value. */
export type MapResult =
  | { readonly kind: 'events'; readonly events: readonly MappedEvent[] }
  | { readonly kind: 'refused'; readonly path: string; readonly rule: string };

/** A map of a source, compiled once. */
export interface CompiledMap {
  map(input: MapInput): Promise<MapResult>;
  /** What it gives as ids of members and as addresses, even where it refuses the rest. Personal. */
  persons(input: MapInput): readonly string[];
}

export type KeyResult =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly path: string; readonly rule: string };

/** What tells by which key a record of the HTTP door is written: of one member, always the same. */
export interface CompiledKey {
  read(input: MapInput): KeyResult;
}
