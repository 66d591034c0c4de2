import type { RequestPreviewView } from '#contracts';
import { previewRequest } from '#gateway';
import type { ReplayItem } from '#intents';
import { loadCommands } from '#intents';

import type { ApiSettings } from '../api-settings.js';
import { toPreviewView } from '../corrections/preview-view.js';

const keyOf = ({ laneId, seq }: Pick<ReplayItem, 'laneId' | 'seq'>): string => `${laneId}~${seq}`;

/** The very requests that the items of a replay would be now, masked: by item, null where nothing is left to send. */
export async function itemRequests(
  items: readonly ReplayItem[],
  { database, keys, dialects, clock }: ApiSettings,
): Promise<(item: ReplayItem) => RequestPreviewView | null> {
  const loaded = await loadCommands(database, items, keys);
  const commands = new Map(loaded.map((place) => [keyOf(place), place.current]));
  return (item) => {
    const current = commands.get(keyOf(item));
    return current?.kind === 'command' ? toPreviewView(previewRequest(current.command, dialects, clock.now())) : null;
  };
}
