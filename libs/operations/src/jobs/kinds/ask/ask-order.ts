import { Injectable } from '@nestjs/common';

import { ASK_RATE } from '#contracts';
import type { Program } from '#contracts';
import type { LoadedCommand, ReadHistory } from '#intents';
import { loadCommands, loadHistories, MemberKeys, within } from '#intents';
import { whyLookInVain } from '#intents/core';
import type { SqlSession } from '#platform';

import type { Actor } from '../../../access/operator.js';
import { ProgramsControl } from '../../../reload/programs-control.js';
import { refuseRequest } from '../../../requests/read-request.js';
import type { JobOrder, RequestOf } from '../../job-order.js';
import type { FrozenItem, ItemForecast } from '../replay/replay-items.js';
import { foretell, freezeSeen, frozenItems, sumItems } from '../replay/replay-items.js';
import { refuseUnfrozen, selectedBy } from '../replay/replay-order.js';

const doubtful = 'unknown-outcome';

/** Intents of one such job, at most: the history of each is read for its plan. */
export const askItemsMax = 2_000;

interface Foreseeing {
  readonly program: Program;
  readonly at: number;
}

function foreseen(
  { ordinal, operation }: FrozenItem,
  read: { readonly current: LoadedCommand['current'] | undefined; readonly history: ReadHistory | undefined },
  { program, at }: Foreseeing,
): ItemForecast {
  const { current, history } = read;
  if (current?.kind !== 'command' || history === undefined) {
    return { ordinal, forecast: 'member-gone', isSkipped: true };
  }
  const { events, quietPeriodMs } = history;
  const subject = { operation, command: current.command, ...(quietPeriodMs === undefined ? {} : { quietPeriodMs }) };
  const why = whyLookInVain({ events, subject, program, at });
  if (why === null) return { ordinal, forecast: 'can-prove' };
  return { ordinal, forecast: 'proves-nothing', detail: `proves-nothing: ${why}`, isSkipped: true };
}

/** What a look at the partner may prove of what is in doubt, when a job is planned. */
@Injectable()
export class AskPlans {
  constructor(
    private readonly programs: ProgramsControl,
    private readonly keys: MemberKeys,
  ) {}

  /** @throws {ApiProblem} */
  order({ query: sent, ratePerSecond = ASK_RATE }: RequestOf<'ask'>, actor: Actor, now: number): JobOrder {
    const { program, query: asked, shown } = selectedBy(sent, actor);
    // One job at a time asks a program's partner.
    if (program === null) return refuseRequest('query: name the program whose partner is asked');
    if ((asked.reason ?? doubtful) !== doubtful) refuseRequest(`query.reason: only what is parked as ${doubtful}`);
    const query = { ...asked, reason: doubtful };
    const { programs } = this.programs.file();
    const known = Object.hasOwn(programs, program) ? programs[program] : undefined;
    if (known === undefined) return refuseRequest('program: the programs file has no such program');
    return {
      ...{ program, request: { query }, detail: { query: shown } },
      ...{ isPlan: true, pace: { ratePerSecond, isCanary: false } },
      freeze: async (session, jobId) => {
        await freezeSeen(session, { jobId, query }, askItemsMax).catch(refuseUnfrozen);
        for await (const items of frozenItems(session, jobId)) {
          await foretell(session, jobId, await this.foreseen(session, items, { program: known, at: now }));
        }
        return sumItems(session, jobId);
      },
    };
  }

  private async foreseen(
    session: SqlSession,
    items: readonly FrozenItem[],
    foreseeing: Foreseeing,
  ): Promise<ItemForecast[]> {
    const database = within(session);
    const currents = new Map(
      (await loadCommands(database, items, this.keys)).map(({ laneId, seq, current }) => [`${laneId}/${seq}`, current]),
    );
    const histories = await loadHistories(database, items);
    return items.map((item) => {
      const place = `${item.laneId}/${item.seq}`;
      return foreseen(item, { current: currents.get(place), history: histories.get(place) }, foreseeing);
    });
  }
}
