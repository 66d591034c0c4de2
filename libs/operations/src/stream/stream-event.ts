import type { StreamEventName } from '#contracts';

/** What the stream tells. */
export interface StreamEvent {
  readonly name: StreamEventName;
  readonly data: unknown;
  /** Where a viewer that comes back after it goes on: the last action that it was told. */
  readonly id?: number;
}

/** A line that keeps the connection open and means nothing. */
export const heartbeatText = ':\n\n';

/** As the format of Server-Sent Events has it; JSON holds no line breaks. */
export function eventText({ name, data, id }: StreamEvent): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** What a viewer says it was told last; null where that is none of our ids. */
export function lastEventId(header: unknown): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}
