import { Injectable } from '@nestjs/common';

import type { Accepted } from '#contracts';
import type { ExactDocument } from '#events';
import { readUnvalidatedEvent } from '#events';
import type { Producer } from '#operations';
import { httpProblem } from '#operations';

import { Door } from '../door.js';
import { refused } from '../door-limits.js';
import { DoorSources } from '../door-source.js';
import { exactDocument } from '../exact-body.js';
import { recordKeyOf, eventKey } from '../record-key.js';
import type { KeyedRecord } from '../topic/door-writer.js';
import type { WritableSource } from './choose-source.js';
import { chooseSource } from './choose-source.js';
import type { HttpEvent, HttpRequest } from './read-http-event.js';
import { readHttpEvents } from './read-http-event.js';

interface Addressed {
  readonly id: string;
  readonly source: WritableSource;
  readonly record: KeyedRecord;
}

/** Who sends it, and by which source, where they say. */
interface Sender {
  readonly producer: Producer;
  readonly named: string | undefined;
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const statuses = { 'not-allowed': 403, ambiguous: 422 } as const;

/** @throws {ApiProblem} where it is no CloudEvent, or nothing tells it from others */
function readEvent(event: HttpEvent, where: string): { id: string; name: string | null; data: unknown } {
  const read = readUnvalidatedEvent(event);
  const { specversion, id, source } = read?.attributes ?? {};
  if (read === null || specversion !== '1.0') throw httpProblem(400, `${where}(the event): no CloudEvent 1.0`);
  if (!isName(id) || !isName(source)) throw httpProblem(400, `${where}id, source: required, text`);
  return { id, name: read.name, data: read.data };
}

function programIn(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'program' in data ? data.program : undefined;
}

/** The event as a structured one, each number as it was sent. */
function exactEvent({ value, headers }: HttpEvent): ExactDocument {
  const body = exactDocument(value) ?? null;
  if (headers['ce_specversion'] === undefined) return body;
  const attributes = Object.entries(headers).filter(([name]) => name.startsWith('ce_'));
  return { ...Object.fromEntries(attributes.map(([name, text]) => [name.slice(3), text])), data: body };
}

/** CloudEvents of producers, into the topics of their sources. All of a request, or nothing of it. */
@Injectable()
export class EventsService {
  constructor(
    private readonly sources: DoorSources,
    private readonly door: Door,
  ) {}

  /** @throws {ApiProblem} */
  async accept(request: HttpRequest, sender: Sender): Promise<Accepted> {
    return this.door.within(`token ${sender.producer.name}`, null, async () => {
      const read = readHttpEvents(request);
      if (read.kind === 'refused') throw httpProblem(read.status, read.detail);
      const isBatch = read.events.length > 1;
      const addressed: Addressed[] = [];
      for (const [at, event] of read.events.entries()) {
        addressed.push(await this.address(event, sender, isBatch ? `events[${at}].` : ''));
      }
      return this.write(addressed);
    });
  }

  private async address(event: HttpEvent, { producer, named }: Sender, where: string): Promise<Addressed> {
    const { id, name, data } = readEvent(event, where);
    const chosen = chooseSource(this.sources.current(), producer, { name, program: programIn(data), named });
    if (chosen.kind === 'refused') {
      const title = 'The event may not come by this token';
      throw refused(statuses[chosen.code], chosen.code, title, { detail: `${where}${chosen.detail}` });
    }
    const { source } = chosen;
    const key = source.key === null ? eventKey(data) : this.keyBy(source.key, event, source.topic);
    if (key === null) throw noKey(where);
    return { id, source, record: { key, value: Buffer.from(event.value), headers: event.headers } };
  }

  private keyBy(expression: string, event: HttpEvent, topic: string): string | null {
    const { headers } = event;
    return recordKeyOf(expression)({ document: exactEvent(event), record: { topic, headers } });
  }

  private async write(addressed: readonly Addressed[]): Promise<Accepted> {
    const bySource = [...Map.groupBy(addressed, ({ source }) => source)];
    const receipts = new Map<Addressed, string>();
    await Promise.all(
      bySource.map(async ([source, own]) => {
        const written = await this.door.write(
          source,
          own.map(({ record }) => record),
        );
        own.forEach((each, at) => receipts.set(each, written[at] ?? ''));
      }),
    );
    return {
      accepted: addressed.map((each) => ({
        ...{ source: each.source.name, id: each.id, receipt: receipts.get(each) ?? '' },
      })),
    };
  }
}

/** What no member and no receipt names could not be kept in its order. */
export function noKey(where = ''): Error {
  const detail = `${where}(the key): neither a member nor a receipt is named by text that can be a key`;
  return refused(422, 'no-key', 'Nothing says in whose order it belongs', { detail });
}
