import { Injectable } from '@nestjs/common';

import type { SendAs } from '#contracts';
import type { LoadedCommand } from '#intents';
import { loadCommands, MemberKeys, within } from '#intents';
import type { SqlSession } from '#platform';

import type { Actor } from '../../../access/operator.js';
import { actingRole } from '../../../access/operator.js';
import type { Correction } from '../../../corrections/revise-command.js';
import { Revisions } from '../../../corrections/revisions.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { refuseRequest } from '../../../requests/read-request.js';
import type { JobOrder, RequestOf } from '../../job-order.js';
import type { Job } from '../../job-repository.js';
import { sentPace, unpaced } from '../decide/decide-order.js';
import type { FrozenItem, ItemForecast } from '../replay/replay-items.js';
import { foretell, freezeSeen, frozenItems, sumItems } from '../replay/replay-items.js';
import { refuseUnfrozen, selectedBy } from '../replay/replay-order.js';

/** Intents in one correction, at most: each is opened for its plan. */
const correctItemsMax = 10_000;

/** What is one member's own: said of many it makes no sense, and would stand with the job. */
const personalParts = [
  ['content', 'person'],
  ['content', 'message'],
  ['content', 'ipAddress'],
  ['content', 'passdata', 'metaData'],
  ['content', 'passdata', 'profileImage'],
];

/** @throws {ApiProblem} */
export function refusePersonal(patch: unknown, personal: readonly (readonly string[])[] = personalParts): void {
  const valueAt = (path: readonly string[]): unknown =>
    path.reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name],
      patch,
    );
  const found = personal.find((path) => valueAt(path) !== undefined);
  if (found !== undefined) refuseRequest(`patch.${found.join('.')}: is one member's own; correct that one by itself`);
}

/** How a job corrects each of its items. */
export function correctionOf({ request }: Pick<Job, 'request'>): Correction {
  const { patch, sendAs } = request as { readonly patch?: Readonly<Record<string, unknown>>; readonly sendAs: SendAs };
  return patch === undefined ? { kind: 'send-as', sendAs } : { kind: 'patch', patch };
}

export const isSentAfterwards = ({ request }: Pick<Job, 'request'>): boolean => request['replay'] === true;

/** Why nothing can be corrected, whatever the correction says. */
const isUntouchable: ReadonlySet<string> = new Set(['needs-decision', 'answered-yes', 'voided', 'member-gone']);
/** What is not sent; a correction alone is no matter. */
const isUnsendable: ReadonlySet<string> = new Set(['lane-blocked', 'not-a-member', 'merged']);

function isLeft(forecast: string, job: Pick<Job, 'request'>): boolean {
  return isUntouchable.has(forecast) || (isSentAfterwards(job) && isUnsendable.has(forecast));
}

/** Why a correction was refused, as items are told. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) throw error;
  const { code, detail } = error.options;
  return code === 'nothing-changed' ? code : `cannot-be-corrected: ${detail ?? error.options.title}`;
}

/** What a correction would make of each of a frozen selection. */
@Injectable()
export class CorrectionPlans {
  constructor(
    private readonly revisions: Revisions,
    private readonly keys: MemberKeys,
  ) {}

  /** @throws {ApiProblem} */
  order({ query: sent, patch, sendAs, replay, ...pace }: RequestOf<'correct'>, actor: Actor): JobOrder {
    refusePersonal(patch);
    const { program, query, shown } = selectedBy(sent, actor);
    const said = { ...(patch === undefined ? { sendAs } : { patch }), replay };
    const request = { query, ...said };
    return {
      ...{ program, request, detail: { query: shown, ...said } },
      ...{ isPlan: true, pace: replay ? sentPace(pace) : unpaced },
      freeze: async (session, jobId) => {
        await freezeSeen(session, { jobId, query }, correctItemsMax).catch(refuseUnfrozen);
        for await (const items of frozenItems(session, jobId)) {
          await foretell(session, jobId, await this.foreseen(session, items, { request, role: actingRole(actor) }));
        }
        return sumItems(session, jobId);
      },
    };
  }

  private async foreseen(
    session: SqlSession,
    items: readonly FrozenItem[],
    job: Pick<Job, 'request'> & { readonly role: string },
  ): Promise<ItemForecast[]> {
    const loaded = await loadCommands(within(session), items, this.keys);
    const currents = new Map(loaded.map(({ laneId, seq, current }) => [`${laneId}/${seq}`, current]));
    return items.map((item) => this.foreseenOne(item, currents.get(`${item.laneId}/${item.seq}`), job));
  }

  private foreseenOne(
    item: FrozenItem,
    current: LoadedCommand['current'] | undefined,
    job: Pick<Job, 'request'> & { readonly role: string },
  ): ItemForecast {
    const { ordinal, forecast } = item;
    if (isLeft(forecast, job)) return { ordinal, forecast, isSkipped: true };
    if (current === undefined || current.kind === 'gone') return { ordinal, forecast: 'member-gone', isSkipped: true };
    try {
      const command = current.kind === 'command' ? current.command : null;
      const { privileged } = this.revisions.of(item, command, correctionOf(job));
      return { ordinal, forecast: privileged.length > 0 && job.role !== 'admin' ? 'needs-admin' : 'will-change' };
    } catch (error) {
      const detail = refusalOf(error);
      const isSame = detail === 'nothing-changed';
      return { ordinal, forecast: isSame ? detail : 'cannot-be-corrected', detail, isSkipped: true };
    }
  }
}
