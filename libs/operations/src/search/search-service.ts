import { Injectable } from '@nestjs/common';

import type { Program, SearchHit, SearchQuery, SearchResult } from '#contracts';
import { NUMBER_KINDS, scriptsOf } from '#contracts';
import type { BusinessKey } from '#intents/core';
import { intentId } from '#intents';

import type { Actor } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import { IntentLookup, intentNames } from '../intents/intent-lookup.js';
import { ApiProblem } from '../problems/api-problem.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { isoTime } from '../requests/read-request.js';
import type { FoundRecord, Sought, SoughtNumber } from './search-repository.js';
import { SearchRepository } from './search-repository.js';

type Kind = SearchHit['kind'];
type HitOf<K extends Kind> = Extract<SearchHit, { kind: K }>;
type NumberKind = (typeof NUMBER_KINDS)[number];

/** `purchases/3@120`, and as tools write it: `purchases-3@120`, `purchases:3:120`. */
const placePattern = /^([\w.-]{1,249}?)[/:-](\d{1,9})[@:](\d{1,15})$/;
const recordPattern = /^#?([1-9]\d{0,15})$/;

function toRecordHit({ recordedAt, ...record }: FoundRecord): HitOf<'record'> {
  return { kind: 'record', ...record, recordedAt: isoTime(recordedAt) };
}

const isAlone = (key: readonly (readonly string[])[]): boolean => key.length === 1;

/** A number that stands in a key with others (of the store, of the day) cannot be told from it alone. */
function scopesOf({ purchaseKey, grantKey }: Program): readonly NumberKind[] {
  const scopes: readonly NumberKind[] = isAlone(purchaseKey) ? ['refund', 'correction', 'return'] : ['return'];
  return isAlone(grantKey) ? [...scopes, 'grant'] : scopes;
}

const isNumberKind = (scope: BusinessKey['scope']): scope is NumberKind & BusinessKey['scope'] =>
  NUMBER_KINDS.some((kind) => kind === scope);

/** Finds whatever has a name, by it. */
@Injectable()
export class SearchService {
  constructor(
    private readonly found: SearchRepository,
    private readonly intents: IntentLookup,
    private readonly programs: ProgramsControl,
  ) {}

  /** In the order in which they are shown: what is meant by a whole id first. One more than is shown tells of others. */
  async find({ q: text, limit }: SearchQuery, actor: Actor): Promise<SearchResult> {
    const q = text.trim();
    if (q === '') return { groups: [] };
    const sought: Sought = { q, programs: actor.programs, limit: limit + 1 };
    const isWhole = actor.programs === null;
    const hits: SearchHit[][] = [
      await this.intent(q, actor),
      await this.members(sought),
      await this.purchases(sought),
      await this.numbers(sought, actor),
      await this.cards(sought),
      // What is set aside, and requests, are of all programs.
      isWhole ? await this.records(sought) : [],
      await this.stores(sought),
      await this.jobs(sought),
      isWhole ? await this.requests(sought) : [],
    ];
    const byKind = Map.groupBy(hits.flat(), ({ kind }) => kind);
    const groups = [...byKind].map(([kind, items]) => ({
      ...{ kind, items: items.slice(0, limit), hasMore: items.length > limit },
    }));
    return { groups };
  }

  private async intent(q: string, actor: Actor): Promise<HitOf<'intent'>[]> {
    if (intentNames(q).length === 0) return [];
    try {
      const intent = await this.intents.show(await this.intents.find(q, actor));
      const { operation, status } = intent;
      return [{ kind: 'intent', id: intentId(intent), operation, status }];
    } catch (error) {
      if (error instanceof ApiProblem) return [];
      throw error;
    }
  }

  private async members(sought: Sought): Promise<HitOf<'member'>[]> {
    const programs = Object.keys(this.programs.file().programs).filter((name) => maySee(sought.programs, name));
    const found = await this.found.members(sought, programs);
    return found.map((member) => ({ kind: 'member', ...member, ...scriptsOf(member.program, member.memberId) }));
  }

  private async purchases(sought: Sought): Promise<HitOf<'purchase'>[]> {
    const found = await this.found.purchases(sought);
    return found.map(({ seq, ...purchase }) => ({
      ...{ kind: 'purchase', ...purchase, ...scriptsOf(purchase.program, purchase.memberId, purchase.purchaseId) },
      intent: purchase.intents === 1 ? intentId({ ...purchase, seq }) : null,
    }));
  }

  private async numbers({ q }: Sought, actor: Actor): Promise<HitOf<NumberKind>[]> {
    const numbers = this.seen(actor.programs).flatMap(([program, config]) =>
      scopesOf(config).map((scope): SoughtNumber => ({ program, scope })),
    );
    const hits: HitOf<NumberKind>[] = [];
    for (const { scope, ...place } of await this.found.numbers(q, numbers)) {
      const { items } = await this.intents.list({ filter: place, programs: actor.programs, after: null, limit: 1 });
      const [intent] = items;
      if (intent !== undefined && isNumberKind(scope)) hits.push({ kind: scope, number: q, intent: intentId(intent) });
    }
    return hits;
  }

  private async cards(sought: Sought): Promise<HitOf<'card'>[]> {
    const places = this.seen(sought.programs).map(([, config]) => config);
    const found = await this.found.cards(sought, places);
    return found.map((member) => ({ kind: 'card', ...member, ...scriptsOf(member.program, member.memberId) }));
  }

  private async records(sought: Sought): Promise<HitOf<'record'>[]> {
    const { q, limit } = sought;
    const [, topic = '', partition, offset] = placePattern.exec(q) ?? [];
    const [, id] = recordPattern.exec(q) ?? [];
    const found = [
      ...(id === undefined ? [] : await this.found.recordOf(Number(id))),
      ...(topic === ''
        ? []
        : await this.found.recordsAt({ topic, partition: Number(partition), offset: Number(offset) }, limit)),
      ...(await this.found.recordsNamed(sought)),
    ];
    return [...new Map(found.map((record) => [record.id, record])).values()].slice(0, limit).map(toRecordHit);
  }

  private async stores(sought: Sought): Promise<HitOf<'store'>[]> {
    return (await this.found.stores(sought)).map((store) => ({ kind: 'store', ...store }));
  }

  private async jobs(sought: Sought): Promise<HitOf<'job'>[]> {
    return (await this.found.jobs(sought)).map((job) => ({ kind: 'job', ...job }));
  }

  private async requests(sought: Sought): Promise<HitOf<'request'>[]> {
    return (await this.found.requests(sought)).map(({ at, ...request }) => ({
      ...{ kind: 'request', ...request, at: isoTime(at) },
    }));
  }

  private seen(programs: Actor['programs']): readonly (readonly [string, Program])[] {
    return Object.entries(this.programs.file().programs).filter(([name]) => maySee(programs, name));
  }
}
