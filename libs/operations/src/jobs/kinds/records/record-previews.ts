import { Injectable } from '@nestjs/common';

import type { JobItemView } from '#contracts';
import type { DeadLetter, PreparedRecord } from '#intents';
import { Clock } from '#platform';

import { toPreviewView } from '../../../intents/intent-view.js';
import type { KnownNames } from '../../../masking/shown-documents.js';
import { knownNames, maskRecord } from '../../../masking/shown-documents.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { QuarantineRecords } from '../../../quarantine/quarantine-records.js';
import { Intake } from '../../../quarantine/quarantine-service.js';
import { correctedContent, showCorrected } from '../../../quarantine/shown-record.js';
import { ProgramsControl } from '../../../reload/programs-control.js';
import { RequestPreviews } from '../../../requests/request-previews.js';
import type { Job } from '../../job-repository.js';
import { correctionOfRecord } from './record-change.js';

type Shown = Pick<JobItemView, 'changes' | 'becomes'>;
type Becomes = NonNullable<JobItemView['becomes']>[number];

const nothing: Shown = { changes: [], becomes: [] };

/** Events of one record that are shown, at most. */
const eventsShownMax = 10;

/** By what requests are foretold. */
@Injectable()
export class PreviewParts {
  constructor(
    readonly previews: RequestPreviews,
    readonly clock: Clock,
  ) {}
}

/** What records of a job are taken for, and what would come of them: nothing is written. */
@Injectable()
export class RecordPreviews {
  constructor(
    private readonly records: QuarantineRecords,
    private readonly intake: Intake,
    private readonly programs: ProgramsControl,
    private readonly parts: PreviewParts,
  ) {}

  /** Masked. */
  async of(job: Job, record: number): Promise<Shown> {
    if (job.kind === 'discard') return nothing;
    try {
      return await this.shown(job, await this.records.arrived(record));
    } catch (error) {
      // Its forecast says why.
      if (error instanceof ApiProblem) return nothing;
      throw error;
    }
  }

  private async shown(job: Job, letter: DeadLetter): Promise<Shown> {
    if (letter.lastOffset !== null || letter.isUnreadable) return nothing;
    const names = knownNames(this.programs.file());
    const correction = correctionOfRecord(job, letter);
    const { changes = [] } = correction === null ? {} : showCorrected(letter, correction, names);
    const { key, value, headersText } = correction === null ? letter : correctedContent(letter, correction);
    const { topic, partition, offset, brokerAt } = letter;
    const original = { offset, brokerAt, key, value, headersText };
    const now = this.parts.clock.now();
    const { records } = await this.intake.route({ source: { topic, partition }, original, now, receivedAt: now });
    return {
      changes: changes.map(({ path, from, to }) => ({ path, from, to })),
      becomes: records.slice(0, eventsShownMax).map((prepared) => this.becomes(prepared, names)),
    };
  }

  private becomes({ verdict, event, original }: PreparedRecord, names: KnownNames): Becomes {
    const value = event?.text ?? (original.value === null ? null : Buffer.from(original.value).toString('utf8'));
    const headers = event === undefined ? original.headersText : '{}';
    const shown = maskRecord({ headers, value }, names).value;
    switch (verdict.kind) {
      case 'routed': {
        const calls = verdict.intents.map(({ operation, command }) => ({
          operation,
          request: command === null ? null : toPreviewView(this.parts.previews.of(command)),
        }));
        return { result: 'taken', why: null, event: shown, calls };
      }
      case 'ignored':
        return { result: 'ignored', why: verdict.reason, event: shown, calls: [] };
      case 'quarantine':
        return { result: 'refused', why: `${verdict.reason}: ${verdict.detail}`, event: shown, calls: [] };
    }
  }
}
