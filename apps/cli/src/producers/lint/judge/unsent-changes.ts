import type { ProgramsFile, SourceEvent } from '#contracts';
import { routeSourceEvent } from '#domain';

import { type Warning, warning } from './warning.js';

/** What an update may change without being mapped (docs/producers.md). */
const changeable = new Set(['tier', 'message', 'groupId', 'smsSubscription', 'person', 'pass', 'metaData']);

/** Paths in `changed` of which nothing is sent: most often a slip of the pen. */
export function unsentChanges(event: SourceEvent, programs: ProgramsFile | null): readonly Warning[] {
  if (event.name !== 'loyalty.member.updated.v1') return [];
  const { changed } = event.data;
  const isSent = (path: string): boolean => {
    if (programs === null) return changeable.has(path.split('.', 1)[0] ?? '');
    // Asked of the router itself, one path at a time.
    const route = routeSourceEvent({ ...event, data: { ...event.data, changed: [path] } }, programs);
    return route.kind !== 'ignored';
  };
  return changed.flatMap((path, index) =>
    isSent(path) ? [] : [warning('unsent-change', `data.changed[${index}]: names nothing that is sent`)],
  );
}
