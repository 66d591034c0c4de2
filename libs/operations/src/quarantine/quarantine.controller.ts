import { Get, Inject, Param, Query } from '@nestjs/common';

import type { QuarantinedDetails, QuarantinedView, QuarantinePage } from '#contracts';
import { quarantineQuerySchema } from '#contracts';
import type { BrowsedRecord } from '#intents';
import { browseQuarantine, findQuarantined, readQuarantined } from '#intents';

import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { ApiProblem } from '../problems/api-problem.js';
import { isoTime } from '../requests/iso-time.js';
import { idInPath, readRequest } from '../requests/read-request.js';
import { showRecord } from './show-record.js';

function toView(record: BrowsedRecord): QuarantinedView {
  const { quarantineId: id, reason, detail, topic, partition, offset, valueBytes: bytes } = record;
  const producedAt = isoTime(record.brokerAt);
  const recordedAt = isoTime(record.recordedAt);
  return { id, reason, detail, topic, partition, offset, bytes, producedAt, recordedAt };
}

/** What came in and could not become an intent. */
@ApiController('quarantine')
export class QuarantineController {
  constructor(@Inject(API_SETTINGS) private readonly settings: ApiSettings) {}

  @Get()
  async list(@Query() sent: unknown): Promise<QuarantinePage> {
    const { reason = null, topic = null, cursor, limit } = readRequest(quarantineQuerySchema, sent);
    const before = cursor === undefined ? null : idInPath(cursor, 'cursor');
    const records = await browseQuarantine(this.settings.database, { reason, topic, before, limit });
    const last = records.length < limit ? undefined : records.at(-1);
    return { items: records.map(toView), nextCursor: last === undefined ? null : String(last.quarantineId) };
  }

  @Get(':id')
  async one(@Param('id') text: string): Promise<QuarantinedDetails> {
    const id = idInPath(text, 'id');
    const { database, quarantineKey } = this.settings;
    const record = await findQuarantined(database, id);
    const letter = record === null ? null : await readQuarantined(database, id, quarantineKey);
    if (record === null || letter === null) {
      throw new ApiProblem({ status: 404, code: 'no-such-record', title: 'There is no such record in quarantine' });
    }
    return { ...toView(record), ...showRecord(letter) };
  }
}
