import { Get, Inject, Param, Query } from '@nestjs/common';

import type { QuarantinedDetails, QuarantinePage } from '#contracts';
import { quarantineQuerySchema } from '#contracts';
import { browseQuarantine, readCorrection, readQuarantined } from '#intents';

import { ApiController } from '../api-controller.js';
import { API_SETTINGS } from '../api-settings.js';
import type { ApiSettings } from '../api-settings.js';
import { idInPath, readRequest } from '../requests/read-request.js';
import { QuarantineDesk } from './quarantine-desk.js';
import { noSuchRecord } from './quarantine-problems.js';
import { toQuarantineFilter } from './quarantine-request.js';
import { toQuarantinedView } from './quarantine-view.js';
import { showCorrected } from './show-corrected.js';
import { showBatch, showRecord } from './show-record.js';

/** What came in and could not become an intent. */
@ApiController('quarantine')
export class QuarantineController {
  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    @Inject(QuarantineDesk) private readonly desk: QuarantineDesk,
  ) {}

  @Get()
  async list(@Query() sent: unknown): Promise<QuarantinePage> {
    const { state, cursor, limit, ...query } = readRequest(quarantineQuerySchema, sent);
    const before = cursor === undefined ? null : idInPath(cursor, 'cursor');
    const request = { ...toQuarantineFilter(query), state, before, limit };
    const records = await browseQuarantine(this.settings.database, request);
    const last = records.length < limit ? undefined : records.at(-1);
    return { items: records.map(toQuarantinedView), nextCursor: last === undefined ? null : String(last.quarantineId) };
  }

  @Get(':id')
  async one(@Param('id') text: string): Promise<QuarantinedDetails> {
    const id = idInPath(text, 'id');
    const { database, quarantineKey } = this.settings;
    const record = await this.desk.show(id);
    const letter = await readQuarantined(database, id, quarantineKey);
    if (letter === null) throw noSuchRecord();
    const correction = await readCorrection(database, id, quarantineKey);
    const corrected = correction === null ? null : showCorrected(letter, correction);
    const shown = letter.lastOffset === null ? showRecord(letter) : showBatch(letter);
    return { ...toQuarantinedView(record), ...shown, corrected };
  }
}
