import { Injectable } from '@nestjs/common';

import type { QuarantineCountQuery } from '#contracts';
import { quarantineCountQuerySchema } from '#contracts';

import { ApiProblem } from '../../../problems/api-problem.js';
import { toQuarantineFilter } from '../../../quarantine/quarantine-records.js';
import { readRequest } from '../../../requests/read-request.js';
import type { JobOrder, RequestOf } from '../../job-order.js';
import { unpaced } from '../decide/decide-order.js';
import { NotFrozenError, replayItemsMax } from '../replay/replay-items.js';
import { parsedQuery } from '../replay/replay-order.js';
import { refusePersonalOfRecords } from './record-change.js';
import { RecordItemRepository } from './record-items.js';

/** For the audit, which an erasure cannot reach. */
function withoutMember({ memberId: _memberId, ...query }: QuarantineCountQuery): object {
  return query;
}

/** @throws {ApiProblem} */
function refuseUnfrozen(error: unknown): never {
  if (!(error instanceof NotFrozenError)) throw error;
  const [code, title, detail] =
    error.kind === 'empty'
      ? ['nothing-to-do', 'There is no such record', 'No open record fits the query.']
      : ['too-much-to-do', 'That is too much at once', `One job takes ${replayItemsMax} records. Narrow it down.`];
  throw new ApiProblem({ status: 422, code, title, detail });
}

interface Ordered {
  readonly query: RequestOf<'discard'>['query'];
  /** What is said of each. */
  readonly said: Readonly<Record<string, unknown>>;
  /** Before any of them was tried. */
  readonly forecast: string;
}

/** What is stored of jobs on records that were set aside. */
@Injectable()
export class RecordOrders {
  constructor(private readonly items: RecordItemRepository) {}

  /** Each is tried before it is planned. @throws {ApiProblem} */
  resubmit({ query, patch, sendAs }: RequestOf<'resubmit'>): JobOrder {
    refusePersonalOfRecords(patch);
    const said = { ...(patch === undefined ? {} : { patch }), ...(sendAs === undefined ? {} : { sendAs }) };
    return { ...this.order({ query, said, forecast: 'untried' }), isTried: true };
  }

  /** @throws {ApiProblem} */
  discard({ query }: RequestOf<'discard'>): JobOrder {
    return this.order({ query, said: {}, forecast: 'will-be-discarded' });
  }

  private order({ query: sent, said, forecast }: Ordered): JobOrder {
    const query = readRequest(quarantineCountQuerySchema, typeof sent === 'string' ? parsedQuery(sent) : sent);
    const filter = toQuarantineFilter(query);
    return {
      ...{ program: null, request: { query, ...said }, detail: { query: withoutMember(query), ...said } },
      ...{ isPlan: true, pace: unpaced },
      freeze: async (session, jobId) => this.items.freeze(session, { jobId, filter, forecast }).catch(refuseUnfrozen),
    };
  }
}
