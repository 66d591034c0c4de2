import type { ReplayItemsPage, ReplayItemView, ReplayView } from '#contracts';

import { replayItemColumns } from '../get/replays-source.js';
import type { ApiClient } from '../http/api-client.js';
import { pathPart } from '../http/api-client.js';
import type { Paint } from '../output/colours.js';
import { countsText } from '../output/counts.js';
import { fields, section } from '../output/fields.js';
import { moneysText } from '../output/money.js';
import { Table } from '../output/table.js';
import { timeText } from '../output/times.js';
import type { Described } from './describe.js';

/** Of each kind so many are shown. */
const failedShownMax = 20;
const failedStates = ['parked', 'refused', 'cancelled'] as const;

/** A replay with the first of its items that failed. */
export interface ReplayStory extends ReplayView {
  readonly failedItems: readonly ReplayItemView[];
}

export function replayPath(id: string): string {
  return `/replays/${pathPart(id)}`;
}

/** Null of a dry run. Who made it need not be who had it sent. */
function startText({ startedAt, startedBy, startReason }: ReplayView): string | null {
  return startedBy === null ? null : `${timeText(startedAt)} by ${startedBy}: ${startReason ?? ''}`;
}

/** What was most likely done already must not be sent again by a hasty word. */
function warningOf({ byForecast, state }: ReplayView): string | null {
  const { 'answered-yes': count = 0 } = byForecast;
  if (count === 0 || state !== 'planned') return null;
  return `the partner answered ${count} of them with a 2xx that proved nothing: read again first (loyaltyd reread)`;
}

/** What a replay says of itself, line by line. */
export function replayText(replay: ReplayView): string {
  const { id, state, stoppedBecause, query, reason, ratePerSecond, canary, force } = replay;
  return fields([
    ['Replay', id],
    ['State', stoppedBecause === null ? state : `${state}: ${stoppedBecause}`],
    ['Query', JSON.stringify(query)],
    ['Reason', reason],
    ['By', replay.createdBy],
    ['Created', timeText(replay.createdAt)],
    ['Started', startText(replay)],
    ['Finished', timeText(replay.finishedAt)],
    ['Rate', `${ratePerSecond}/s, ${canary ? 'with a canary' : 'no canary'}${force ? ', forced' : ''}`],
    ['At stake', moneysText(replay.money)],
    ['Items', replay.items],
    ['Forecast', countsText(replay.byForecast)],
    ['Warning', warningOf(replay)],
    ['Result', countsText(replay.byState)],
  ]);
}

function textOf(replay: ReplayStory, paint: Paint): string {
  const { id, failedItems } = replay;
  const table = failedItems.length === 0 ? '' : new Table(replayItemColumns, paint).rows(failedItems);
  return `${replayText(replay)}${section(`Failed (\`loyaltyd get replay-items ${id}\` has all)`, table)}`;
}

async function failedItems(client: ApiClient, replay: ReplayView): Promise<ReplayItemView[]> {
  const states = failedStates.filter((state) => (replay.byState[state] ?? 0) > 0);
  const pages = await Promise.all(
    states.map((state) => client.get(`${replayPath(replay.id)}/items`, { state, limit: String(failedShownMax) })),
  );
  return pages.flatMap((page) => (page as ReplayItemsPage).items);
}

/** A replay with what came of it. */
export function replay(id: string): Described<ReplayStory> {
  return {
    load: async (client) => {
      const view = (await client.get(replayPath(id))) as ReplayView;
      return { ...view, failedItems: await failedItems(client, view) };
    },
    text: textOf,
    nameOf: (view) => view.id,
  };
}
