import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import type { SqlSession } from '#platform';

import type { Actor } from '../../../access/operator.js';
import { forbidden, mayAct } from '../../../access/operator.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { ProgramsControl } from '../../../reload/programs-control.js';
import { isoTime, refuseRequest } from '../../../requests/read-request.js';
import type { JobOrder, RequestOf } from '../../job-order.js';
import type { JobSelection } from '../../job-repository.js';
import { unpaced } from '../decide/decide-order.js';
import type { ItemForecast, ReplayFilter } from '../replay/replay-items.js';
import { foretell, freezeSeen, frozenItems, sumItems } from '../replay/replay-items.js';
import { refuseUnfrozen, selectedBy } from '../replay/replay-order.js';
import type { FoundCall } from './doubtful-calls.js';
import { DoubtfulCallRepository, doubtfulMax, TooManyCallsError } from './doubtful-calls.js';
import type { Completeness, ListVerdict } from './match-list.js';
import { isWithin, ListMatch, verdictOf } from './match-list.js';
import type { ListedCall } from './partner-list.js';
import { readPartnerList } from './partner-list.js';

const doubtful = 'unknown-outcome';

interface Settling {
  readonly jobId: string;
  readonly query: ReplayFilter;
  readonly rows: readonly ListedCall[];
  readonly complete: Completeness | null;
  readonly inFlightMs: number;
}

interface Judged {
  readonly verdicts: ReadonlyMap<string, ListVerdict>;
  readonly notes: readonly string[];
}

/** What the list has all of, and of which program. @throws {ApiProblem} */
function completenessOf(
  { complete }: Pick<RequestOf<'settle'>, 'complete'>,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): Completeness | null {
  if (complete === undefined) return null;
  if (!mayAct(actor, 'admin')) throw forbidden('role', 'What is not in a list is judged for an admin only.');
  const [from, to] = [Date.parse(complete.from), Date.parse(complete.to)];
  if (from >= to) return refuseRequest('complete: it ends before it begins');
  if (to > now) return refuseRequest('complete.to: lies ahead');
  return { from, to, types: complete.types };
}

/** Of what the list is not taken at its word; null: it is. */
function doubtOf(
  known: readonly FoundCall[],
  match: ListMatch,
  complete: Completeness,
  inFlightMs: number,
): string | null {
  const must = known.filter((call) => complete.types.includes(call.type) && isWithin(call, complete, inFlightMs));
  if (must.length === 0) return 'nothing that we know to be delivered in that time bears the list out';
  const missing = must.filter((call) => match.presence(call) !== 'listed').length;
  return missing === 0 ? null : `${missing} of ${must.length} that we know to be delivered in that time are not in it`;
}

/** What a list of the partner's says of what is in doubt, when a job is planned. */
@Injectable()
export class SettlePlans {
  constructor(
    private readonly calls: DoubtfulCallRepository,
    private readonly programs: ProgramsControl,
  ) {}

  /** @throws {ApiProblem} */
  order({ query: sent, list, ...body }: RequestOf<'settle'>, actor: Actor, now: number): JobOrder {
    const { program, query: asked, shown } = selectedBy(sent, actor);
    // Ids of rewards and types, and members, are one program's own.
    if (program === null) return refuseRequest('query: name the program whose list it is');
    const query = { ...asked, reason: doubtful };
    if ((asked.reason ?? doubtful) !== doubtful) refuseRequest(`query.reason: only what is parked as ${doubtful}`);
    const rows = readPartnerList(list);
    const complete = completenessOf(body, { actor, now });
    const said = {
      list: { rows: rows.length, sha256: createHash('sha256').update(list).digest('hex') },
      ...(complete === null
        ? {}
        : { complete: { ...complete, from: isoTime(complete.from), to: isoTime(complete.to) } }),
    };
    const inFlightMs = this.inFlightMs(program);
    return {
      ...{ program, request: { query, ...said }, detail: { query: shown, ...said }, isPlan: true, pace: unpaced },
      freeze: async (session, jobId) =>
        this.freeze(session, { jobId, query, rows, complete, inFlightMs }).catch(refuseTooMany),
    };
  }

  private inFlightMs(program: string): number {
    const { programs } = this.programs.file();
    const known = Object.hasOwn(programs, program) ? programs[program] : undefined;
    return known === undefined ? refuseRequest('program: the programs file has no such program') : known.inFlightMs;
  }

  private async freeze(session: SqlSession, settling: Settling): Promise<JobSelection> {
    const { jobId } = settling;
    await freezeSeen(session, settling, doubtfulMax).catch(refuseUnfrozen);
    const { verdicts, notes } = await this.judge(session, settling);
    for await (const items of frozenItems(session, jobId)) {
      await foretell(
        session,
        jobId,
        items.map((item) => forecastOf(item, verdicts.get(`${item.laneId}/${item.seq}`))),
      );
    }
    return { ...(await sumItems(session, jobId)), notes };
  }

  private async judge(session: SqlSession, { jobId, rows, complete, inFlightMs, query }: Settling): Promise<Judged> {
    const frozen = await this.calls.frozen(session, jobId);
    const window = complete === null || query.program === undefined ? null : { ...complete, program: query.program };
    const delivered = window === null ? [] : await this.calls.deliveries(session, around(window, inFlightMs));
    const known = [...frozen, ...(await this.calls.rivals(session, jobId)), ...delivered];
    const all = [...new Map(known.map((call) => [call.intent, call])).values()];
    const match = new ListMatch(rows, all, inFlightMs);
    const doubt = complete === null ? null : doubtOf(delivered, match, complete, inFlightMs);
    const verdicts = new Map(
      frozen.map((call) => [`${call.laneId}/${call.seq}`, verdictOf(match, call, { complete, doubt, inFlightMs })]),
    );
    return { verdicts, notes: doubt === null ? [] : [`Nothing is taken for absent: ${doubt}.`] };
  }
}

/** Answers come later than what they tell of. */
const answeredWithinMs = 24 * 3_600_000;

function around<W extends Completeness>(window: W, inFlightMs: number): W {
  return { ...window, from: window.from - inFlightMs, to: window.to + inFlightMs + answeredWithinMs };
}

function forecastOf(
  { ordinal, forecast }: { readonly ordinal: number; readonly forecast: string },
  verdict: ListVerdict | undefined,
): ItemForecast {
  if (forecast === 'member-gone') return { ordinal, forecast, isSkipped: true };
  if (verdict === undefined) {
    return { ordinal, forecast: 'unproven', detail: 'unproven: no list has such calls', isSkipped: true };
  }
  if (verdict.kind === 'unproven') {
    return { ordinal, forecast: verdict.kind, detail: `unproven: ${verdict.because}`, isSkipped: true };
  }
  return { ordinal, forecast: verdict.kind, isSkipped: verdict.kind === 'ambiguous' };
}

/** @throws {ApiProblem} */
export function refuseTooMany(error: unknown): never {
  if (!(error instanceof TooManyCallsError)) throw error;
  const detail = 'More calls are to be compared than one list takes. Narrow the query, or the time, down.';
  throw new ApiProblem({ status: 422, code: 'too-much-to-compare', title: 'That is too much at once', detail });
}
