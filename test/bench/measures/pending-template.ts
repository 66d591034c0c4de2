import { fillPending } from '../backlog/fill-pending.js';
import type { MeasureTools } from './measure.js';

/** As in the measure of delivery. */
export const intentsPerMember = 5;

/** A template with a large backlog; made when it is first asked for, and kept for the measures that follow. */
export const pendingTemplate = async (
  { postgres, encryptionKey, say }: MeasureTools,
  intents: number,
  pausedLanes = 0,
): Promise<string> => {
  const name = `pending_${intents}_${pausedLanes}`;
  if (postgres.has(name)) return name;
  say(`filling a database with ${intents} pending intents and ${pausedLanes} of a paused program`);
  const size = { members: intents / intentsPerMember, intentsPerMember, pausedLanes };
  await fillPending(await postgres.create(name), encryptionKey, size);
  return name;
};
