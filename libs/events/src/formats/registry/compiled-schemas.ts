import { LRUCache } from 'lru-cache';

import { compiledSchemasMax, lateSchemaMs, missingSchemasMax, patienceRestMs } from '../limits.js';
import { refText, type SchemaRef } from '../schema-frame.js';
import { UnavailableError } from '../source-format.js';
import {
  MissingSchemaError,
  type RegisteredSchema,
  type SchemaRegistry,
  UnusableSchemaError,
} from './schema-registry.js';

/** A schema made ready, or why it cannot be; that holds no value. */
export type CompiledSchema<Compiled> =
  { readonly ok: true; readonly compiled: Compiled } | { readonly ok: false; readonly detail: string };

interface SchemaKind<Compiled> {
  /** As the registry calls it. */
  readonly type: 'AVRO' | 'PROTOBUF';
  /** @throws anything where the schema cannot be used */
  compile(schema: RegisteredSchema): Promise<Compiled>;
  /** Of which the registry is asked; null: it is not told. */
  readonly subject: string | null;
}

const givenUp = Number.NEGATIVE_INFINITY;

/**
 * Schemas of one kind, asked for once and compiled once: what an id stands for never changes. One that the registry does not know is
 * waited for a while, and an error of the registry's is never kept.
 */
export class CompiledSchemas<Compiled> {
  private readonly ready = new LRUCache<string, CompiledSchema<Compiled>>({ max: compiledSchemasMax });
  private readonly asked = new Map<string, Promise<CompiledSchema<Compiled>>>();
  /** When the registry was first asked for what it does not know; `givenUp`: it was waited for, in vain. */
  private readonly missingSince = new LRUCache<string, number>({ max: missingSchemasMax });
  /** Until then what is not known is not waited for. */
  private patientAgainMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly registry: SchemaRegistry,
    private readonly kind: SchemaKind<Compiled>,
  ) {}

  /** At once where it is ready. @throws UnavailableError */
  get(ref: SchemaRef): CompiledSchema<Compiled> | Promise<CompiledSchema<Compiled>> {
    // Another registry has other schemas under the same numbers.
    const key = `${refText(ref)} ${this.registry.settings().url}`;
    return this.ready.get(key) ?? this.asked.get(key) ?? this.ask(key, ref);
  }

  private ask(key: string, ref: SchemaRef): Promise<CompiledSchema<Compiled>> {
    const asked = this.provide(key, ref).finally(() => this.asked.delete(key));
    this.asked.set(key, asked);
    return asked;
  }

  private async provide(key: string, ref: SchemaRef): Promise<CompiledSchema<Compiled>> {
    try {
      const schema = await this.registry.schema(ref, this.kind.subject);
      const compiled = await this.compile(schema, ref);
      this.ready.set(key, compiled);
      this.missingSince.delete(key);
      return compiled;
    } catch (error) {
      if (error instanceof MissingSchemaError) return this.missing(key, ref);
      if (!(error instanceof UnusableSchemaError)) throw error;
      const unusable = refuse(ref, `cannot be used: ${error.message}`);
      this.ready.set(key, unusable);
      return unusable;
    }
  }

  private missing(key: string, ref: SchemaRef): CompiledSchema<Compiled> {
    const nowMs = this.registry.clock.monotonic();
    const knownMs = this.missingSince.get(key);
    const detail = 'or what it refers to is not in the registry';
    const isGivenUp = knownMs === givenUp || (knownMs === undefined && nowMs < this.patientAgainMs);
    if (isGivenUp) return refuse(ref, detail);
    const sinceMs = knownMs ?? nowMs;
    if (nowMs - sinceMs >= lateSchemaMs) {
      this.missingSince.set(key, givenUp);
      this.patientAgainMs = nowMs + patienceRestMs;
      return refuse(ref, detail);
    }
    this.missingSince.set(key, sinceMs);
    throw new UnavailableError(`schema ${refText(ref)} ${detail}: it is waited for`);
  }

  private async compile(schema: RegisteredSchema, ref: SchemaRef): Promise<CompiledSchema<Compiled>> {
    if (schema.type !== this.kind.type) return refuse(ref, `is not ${this.kind.type}`);
    try {
      return { ok: true, compiled: await this.kind.compile(schema) };
    } catch (error) {
      if (error instanceof UnusableSchemaError) return refuse(ref, `cannot be used: ${error.message}`);
      // Deliberately without the cause: it may quote the schema, which is somebody else's text.
      return refuse(ref, 'cannot be compiled');
    }
  }
}

function refuse(ref: SchemaRef, detail: string): { readonly ok: false; readonly detail: string } {
  return { ok: false, detail: `schema ${refText(ref)} ${detail}` };
}
