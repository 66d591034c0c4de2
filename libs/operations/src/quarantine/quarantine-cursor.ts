import type { QuarantinePlace } from '#intents';

const topicLengthMax = 249;
const pattern = /^(\d{1,9})\.([1-9]\d{0,15})\.([\w.-]+)$/;

/** Where an action in bulk has come to, as a token that clients hand back. */
export function bulkCursorOf({ topic, partition, quarantineId }: QuarantinePlace): string {
  return Buffer.from(`${partition}.${quarantineId}.${topic}`).toString('base64url');
}

/** Null for what was never a cursor. */
export function bulkPlaceOf(cursor: string): QuarantinePlace | null {
  const [, partition, quarantineId, topic = ''] = pattern.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const isPlace = topic !== '' && topic.length <= topicLengthMax;
  return isPlace ? { topic, partition: Number(partition), quarantineId: Number(quarantineId) } : null;
}
