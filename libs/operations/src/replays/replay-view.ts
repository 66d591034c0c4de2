import type { ReplayItemView, ReplayView } from '#contracts';
import type { Replay, ReplayCounts, ReplayItem } from '#intents';
import { intentId } from '#intents';

import { isoTime, isoTimeOrNull } from '../requests/iso-time.js';

export function toReplayView(replay: Replay, { byState, byForecast }: ReplayCounts): ReplayView {
  const { replayId: id, state, stoppedBecause, reason, ratePerSecond, createdAt, createdBy, finishedAt } = replay;
  const { startedAt, startedBy, startReason } = replay;
  return {
    ...{ id, state, stoppedBecause, reason, ratePerSecond, createdBy, startedBy, startReason },
    query: { ...replay.query },
    canary: replay.isCanary,
    force: replay.isForced,
    createdAt: isoTime(createdAt),
    startedAt: isoTimeOrNull(startedAt),
    finishedAt: isoTimeOrNull(finishedAt),
    money: [...replay.money],
    items: Object.values(byState).reduce((sum, count) => sum + count, 0),
    byState: { ...byState },
    byForecast: { ...byForecast },
  };
}

export function toItemView(item: ReplayItem): ReplayItemView {
  const { forecast, overtaken, state, detail, sentAt } = item;
  return { intent: intentId(item), forecast, overtaken, state, detail, sentAt: isoTimeOrNull(sentAt) };
}
