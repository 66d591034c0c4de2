import { Body, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';

import type {
  QuarantineActionResult,
  QuarantineBulk,
  QuarantineBulkResult,
  QuarantineCountQuery,
  QuarantineCountView,
  QuarantinedDetails,
  QuarantinedView,
  QuarantinePage,
  QuarantineQuery,
  UnmaskedRecord,
} from '#contracts';
import {
  bulkDiscardSchema,
  bulkResubmitSchema,
  discardSchema,
  numberSchema,
  quarantineActionResultSchema,
  quarantineBulkResultSchema,
  quarantineCountQuerySchema,
  quarantineCountSchema,
  quarantinedDetailsSchema,
  quarantinePageSchema,
  quarantineQuerySchema,
  quarantineSourcesMax,
  resubmitSchema,
  unmaskedRecordSchema,
  unmaskSchema,
} from '#contracts';
import type { BatchCounts, BrowsedRecord, DeadLetter, QuarantineFilter, QuarantinePlace, Settlement } from '#intents';
import {
  auditAccess,
  browseQuarantine,
  firstPlace,
  intentId,
  readCorrection,
  readQuarantined,
  tallyQuarantine,
} from '#intents';

import { ApiController } from '../access/access.guard.js';
import type { Actor } from '../access/operator.js';
import { auditContextOf, ByActor } from '../access/operator.js';
import { ApiOperation, BodyBytesMax, PathParams, Roles, recordBodyBytesMax } from '../access/route-rules.js';
import type { ApiSettings } from '../api-settings.js';
import { API_SETTINGS } from '../api-settings.js';
import { knownNames } from '../masking/shown-documents.js';
import { IdPipe, isoTime, refuseRequest, timeRange, ZodPipe } from '../requests/read-request.js';
import { toCorrection } from './kept-values.js';
import type { Settling } from './quarantine-service.js';
import { alreadySettled, noSuchRecord, QuarantineService, settleMany } from './quarantine-service.js';
import { showBatch, showCorrected, showRecord, unmaskedRecord } from './shown-record.js';

/** What a request says about which records are meant. */
function toQuarantineFilter(query: QuarantineBulk['query']): QuarantineFilter {
  const { reason = null, topic = null, detail = null } = query;
  const { source = null, store = null, program = null } = query;
  const { from = null, to = null } = timeRange(query);
  return { reason, topic, detail, source, store, program, from, to };
}

const topicLengthMax = 249;
const pattern = /^(\d{1,9})\.([1-9]\d{0,15})\.([\w.-]+)$/;
/** Of an action that has not come beyond its first record. */
const firstCursor = Buffer.from('first').toString('base64url');

/** Where an action in bulk has come to, as a token that clients hand back. */
export function bulkCursorOf({ topic, partition, quarantineId }: QuarantinePlace): string {
  if (topic === firstPlace.topic) return firstCursor;
  return Buffer.from(`${partition}.${quarantineId}.${topic}`).toString('base64url');
}

/** Null for what was never a cursor. */
export function bulkPlaceOf(cursor: string): QuarantinePlace | null {
  if (cursor === firstCursor) return firstPlace;
  const [, partition, quarantineId, topic = ''] = pattern.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const isPlace = topic !== '' && topic.length <= topicLengthMax;
  return isPlace ? { topic, partition: Number(partition), quarantineId: Number(quarantineId) } : null;
}

function toSettlementView(settlement: Settlement): NonNullable<QuarantinedView['settled']> {
  const { at, actor: by, reason: why, result, ignoredReason: reason, intent } = settlement;
  return { at: isoTime(at), by, why, result, reason, intent: intent === null ? null : intentId(intent) };
}

/** A record set aside as the API shows it. */
function toQuarantinedView(record: BrowsedRecord): QuarantinedView {
  const { quarantineId: id, state, reason, detail, topic, partition, offset, lastOffset, settlement } = record;
  const { source, store, program } = record;
  const bytes = record.valueBytes;
  const producedAt = isoTime(record.brokerAt);
  const recordedAt = isoTime(record.recordedAt);
  const settled = settlement === null ? null : toSettlementView(settlement);
  const place = { topic, partition, offset, lastOffset };
  return { id, state, reason, detail, ...place, bytes, producedAt, recordedAt, source, store, program, settled };
}

const details: Readonly<Record<Settlement['result'], string>> = {
  recorded: 'It is taken in.',
  duplicate: 'The same had been taken in already: nothing is done a second time.',
  ignored: 'It is taken in and comes to nothing, as it would have in its topic: see the reason.',
  discarded: 'It is given up. Its bytes are kept.',
};

/** What became of a record that was just dealt with. */
function toActionResult(record: BrowsedRecord, records: BatchCounts | null): QuarantineActionResult {
  const { id, settled } = toQuarantinedView(record);
  if (settled === null) throw alreadySettled(record);
  const { result, intent, reason } = settled;
  const told = { id, result, intent, reason };
  if (records === null) return { ...told, detail: details[result] };
  return { ...told, detail: 'Its records are taken in, each by itself.', records };
}

/** What came in and could not become an intent. */
@ApiController('quarantine')
export class QuarantineController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(QuarantineService) private readonly quarantine: QuarantineService,
  ) {}

  @Get()
  @Roles('viewer')
  @ApiOperation({ summary: 'Records set aside', answer: quarantinePageSchema })
  async list(@Query(new ZodPipe(quarantineQuerySchema)) sent: QuarantineQuery): Promise<QuarantinePage> {
    const { state, cursor, limit, ...query } = sent;
    const before = cursor === undefined ? null : Number(cursor);
    const request = { ...toQuarantineFilter(query), state, before, limit };
    const records = await browseQuarantine(this.settings.database, request);
    const last = records.length < limit ? undefined : records.at(-1);
    return { items: records.map(toQuarantinedView), nextCursor: last === undefined ? null : String(last.quarantineId) };
  }

  @Get('count')
  @Roles('viewer')
  @ApiOperation({ summary: 'How many are open, why, and who sent them', answer: quarantineCountSchema })
  async count(
    @Query(new ZodPipe(quarantineCountQuerySchema)) query: QuarantineCountQuery,
  ): Promise<QuarantineCountView> {
    const { database, clock } = this.settings;
    const at = isoTime(clock.now());
    const { newest: upTo, bySource, byReason, ...tally } = await tallyQuarantine(database, toQuarantineFilter(query));
    return { ...tally, at, upTo, byReason: [...byReason], bySource: bySource.slice(0, quarantineSourcesMax) };
  }

  @Get(':id')
  @Roles('viewer')
  @PathParams({ id: numberSchema })
  @ApiOperation({ summary: 'One of them', answer: quarantinedDetailsSchema })
  async one(@Param('id', IdPipe) id: number): Promise<QuarantinedDetails> {
    const { database, quarantineKey, programs } = this.settings;
    const names = knownNames(programs());
    const record = await this.quarantine.show(id);
    const letter = await readQuarantined(database, id, quarantineKey);
    if (letter === null) throw noSuchRecord();
    const correction = await readCorrection(database, id, quarantineKey);
    const corrected = correction === null ? null : showCorrected(letter, correction, names);
    const shown = letter.lastOffset === null ? showRecord(letter, names) : showBatch(letter);
    return { ...toQuarantinedView(record), ...shown, corrected };
  }
}

const ok = 200;

/** What a person makes of records that were set aside. Each leaves a trace with who, why and from where. */
@ApiController('quarantine')
export class QuarantineActionsController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(QuarantineService) private readonly quarantine: QuarantineService,
  ) {}

  @Post('resubmit')
  @HttpCode(ok)
  @Roles('operator', { adminFor: 'Records that erase a member take an admin; for others they count as failed.' })
  @ApiOperation({ summary: 'Take many in after all', answer: quarantineBulkResultSchema })
  async resubmitMany(
    @Body(new ZodPipe(bulkResubmitSchema)) asked: QuarantineBulk,
    @ByActor() actor: Actor,
  ): Promise<QuarantineBulkResult> {
    return this.settleMany(asked, { kind: 'resubmit', actor });
  }

  @Post('discard')
  @HttpCode(ok)
  @Roles('operator')
  @ApiOperation({ summary: 'Give many up', answer: quarantineBulkResultSchema })
  async discardMany(
    @Body(new ZodPipe(bulkDiscardSchema)) asked: QuarantineBulk,
    @ByActor() actor: Actor,
  ): Promise<QuarantineBulkResult> {
    return this.settleMany(asked, { kind: 'discard', actor });
  }

  @Post(':id/resubmit')
  @HttpCode(ok)
  @Roles('operator', {
    adminFor:
      'What erases a member takes an admin, and so does a correction of anything but time, order, person, texts, store, channel and attributes: the problem names the paths.',
  })
  @PathParams({ id: numberSchema })
  @BodyBytesMax(recordBodyBytesMax)
  @ApiOperation({ summary: 'Take one in after all', answer: quarantineActionResultSchema })
  async resubmit(
    @Param('id', IdPipe) id: number,
    @Body(new ZodPipe(resubmitSchema)) { reason, corrected }: z.output<typeof resubmitSchema>,
    @ByActor() actor: Actor,
  ): Promise<QuarantineActionResult> {
    const correction = corrected === undefined ? null : toCorrection(corrected, await this.arrived(id));
    return this.settleOne(id, { kind: 'resubmit', correction, reason, actor });
  }

  @Post(':id/discard')
  @HttpCode(ok)
  @Roles('operator')
  @PathParams({ id: numberSchema })
  @ApiOperation({ summary: 'Give one up', answer: quarantineActionResultSchema })
  async discard(
    @Param('id', IdPipe) id: number,
    @Body(new ZodPipe(discardSchema)) { reason }: z.output<typeof discardSchema>,
    @ByActor() actor: Actor,
  ): Promise<QuarantineActionResult> {
    return this.settleOne(id, { kind: 'discard', correction: null, reason, actor });
  }

  /** Personal values, for the few who may see them: the request itself leaves a trace. */
  @Post(':id/unmask')
  @HttpCode(ok)
  @Roles('admin')
  @PathParams({ id: numberSchema })
  @ApiOperation({ summary: 'One with everything personal', answer: unmaskedRecordSchema })
  async unmask(
    @Param('id', IdPipe) id: number,
    @Body(new ZodPipe(unmaskSchema)) { reason }: z.output<typeof unmaskSchema>,
    @ByActor() actor: Actor,
  ): Promise<UnmaskedRecord> {
    const { database, clock } = this.settings;
    const letter = await this.arrived(id);
    const audit = auditContextOf(actor, reason, clock);
    await auditAccess(database, { audit, action: 'quarantine.unmask', place: null, detail: { quarantine: id } });
    return { id, ...unmaskedRecord(letter) };
  }

  private async arrived(id: number): Promise<DeadLetter> {
    const { database, quarantineKey } = this.settings;
    const letter = await readQuarantined(database, id, quarantineKey);
    if (letter === null) throw noSuchRecord();
    return letter;
  }

  private async settleOne(id: number, settling: Settling): Promise<QuarantineActionResult> {
    const counts = await this.quarantine.settle(id, settling);
    return toActionResult(await this.quarantine.show(id), counts);
  }

  private async settleMany(asked: QuarantineBulk, by: Pick<Settling, 'kind' | 'actor'>): Promise<QuarantineBulkResult> {
    const { reason, query, limit, cursor, upTo, atMost } = asked;
    const after = cursor === undefined ? firstPlace : (bulkPlaceOf(cursor) ?? refuseRequest('cursor: not one of ours'));
    const { last, ...settled } = await settleMany(this.settings, {
      filter: toQuarantineFilter(query),
      ...{ after, limit, upTo: upTo ?? null, atMost: atMost ?? null },
      settle: (id) => this.quarantine.settle(id, { ...by, correction: null, reason }),
    });
    return { ...settled, nextCursor: settled.remaining > 0 ? bulkCursorOf(last) : null };
  }
}
