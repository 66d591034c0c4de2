import type { ExecutionContext } from '@nestjs/common';
import { Injectable, createParamDecorator } from '@nestjs/common';
import type { z } from 'zod';

import type { ExportLinesPage, jobLinesQuerySchema } from '#contracts';
import { exportLinesText } from '#contracts';
import { Clock } from '#platform';

import { AccessAudit } from '../../../access/access-audit.js';
import type { Actor } from '../../../access/operator.js';
import { actorOf, mayAct } from '../../../access/operator.js';
import type { Job } from '../../job-repository.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { refuseRequest } from '../../../requests/read-request.js';
import { readExportPage } from './export-lines.js';
import type { ExportExtent, ExportPosition } from './export-repository.js';
import { ExportRepository } from './export-repository.js';
import { requestOf, stateOf } from './export-work.js';

const parts = 4;
const int4Max = 2 ** 31 - 1;

/** Where a page of an export ended, as a token that clients hand back. */
function cursorOf({ recordedAt, laneId, seq, version }: ExportPosition): string {
  return Buffer.from([recordedAt, laneId, seq, version].join('.')).toString('base64url');
}

/** Null for what was never a cursor. */
function positionOf(cursor: string): ExportPosition | null {
  const numbers = Buffer.from(cursor, 'base64url').toString('latin1').split('.').map(Number);
  const isWhole = numbers.length === parts && numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
  if (!isWhole) return null;
  const [recordedAt, laneId, seq, version] = numbers as [number, number, number, number];
  return Math.max(seq, version) > int4Max ? null : { recordedAt, laneId, seq, version };
}

const retrySeconds = '1';

/** Transactions that were open when it was made may still add to it. */
function notFrozenYet(): ApiProblem {
  const detail = 'What it holds is not fixed yet: ask again in a second.';
  const headers = { 'retry-after': retrySeconds };
  return new ApiProblem({ status: 409, code: 'export-not-frozen', title: 'The export is not ready', detail, headers });
}

function exportCancelled(): ApiProblem {
  return new ApiProblem({ status: 409, code: 'export-cancelled', title: 'The export was cancelled' });
}

export function personalNeedsAdmin(): ApiProblem {
  const detail = 'Lines with personal values need the role admin.';
  return new ApiProblem({ status: 403, code: 'role', title: 'You may not do this', detail });
}

/** The part of the HTTP answer that is needed here, whatever the server. */
interface Reply {
  header(name: string, value: string): unknown;
}

/** Who reads a job's lines, and how. */
export interface LinesReader {
  readonly actor: Actor;
  /** Lines as they stand in a file, instead of a page of objects. */
  readonly wantsText: boolean;
  /** Says in the headers that lines come as text, and where they go on. */
  answersText(nextCursor: string | null): void;
}

export const ByLinesReader = createParamDecorator((_data: unknown, context: ExecutionContext): LinesReader => {
  const http = context.switchToHttp();
  const { accept = '' } = http.getRequest<{ readonly headers: { readonly accept?: string } }>().headers;
  const reply = http.getResponse<Reply>();
  const { contentType, cursorHeader } = exportLinesText;
  return {
    actor: actorOf(context),
    wantsText: accept.includes(contentType),
    answersText: (nextCursor) => {
      reply.header('content-type', `${contentType}; charset=utf-8`);
      if (nextCursor !== null) reply.header(cursorHeader, nextCursor);
    },
  };
});

function extentOf(job: Job): ExportExtent {
  if (job.state === 'cancelled') throw exportCancelled();
  const state = stateOf(job);
  if (state.kind !== 'counting') throw notFrozenYet();
  return state.extent;
}

function placeOf(cursor: string | undefined, { from }: ExportExtent): ExportPosition | null {
  if (cursor === undefined) return null;
  const position = positionOf(cursor);
  return position === null || position.recordedAt < from ? refuseRequest('cursor: not one of ours') : position;
}

/** What was recorded and what came of it, as lines, in bulk. */
@Injectable()
export class ExportLines {
  constructor(
    private readonly exports: ExportRepository,
    private readonly clock: Clock,
    private readonly audit: AccessAudit,
  ) {}

  /** @throws {ApiProblem} */
  async read(
    { job, cursor, limit }: z.output<typeof jobLinesQuerySchema> & { readonly job: Job },
    reader: LinesReader,
  ): Promise<ExportLinesPage | string> {
    const { exports, clock } = this;
    const extent = extentOf(job);
    const after = placeOf(cursor, extent);
    const isMasked = !requestOf(job).includePersonal;
    if (!isMasked) await this.admitPersonal(job, { actor: reader.actor, after: cursor ?? null });
    const asked = { extent, after, limit, isMasked };
    const { lines, texts, next } = await readExportPage({ exports, clock }, asked);
    const nextCursor = next === null ? null : cursorOf(next);
    if (!reader.wantsText) return { items: [...lines], nextCursor };
    reader.answersText(nextCursor);
    return texts.map((text) => `${text}\n`).join('');
  }

  /** Nothing personal is shown without a trace. */
  private async admitPersonal(
    { jobId, program, reason }: Job,
    { actor, after }: { readonly actor: Actor; readonly after: string | null },
  ): Promise<void> {
    if (!mayAct(actor, 'admin')) throw personalNeedsAdmin();
    const detail = { job: jobId, program, after };
    await this.audit.record(actor, { action: 'export.read', reason, laneId: null, detail });
  }
}
