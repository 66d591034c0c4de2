import type { Durability } from '#door';
import { durabilityOf, tooFewRemedy } from '#door';
import { kafkaProblem } from '#kafka';

import { doorSourcesOf } from '../door/door-sources.js';
import type { Given } from './checks.js';
import type { Finding } from './finding.js';
import { failed, ok, skipped, troublesOr, warning } from './finding.js';
import { troubleText } from './kafka-connection.js';

const doorName = 'kafka.door';

/** Whether what the door acknowledges outlives a broker. @param found by topic */
export function judgeDoor(found: ReadonlyMap<string, Durability>): readonly Finding[] {
  const troubles = [...found].flatMap(([topic, durability]): Finding[] => {
    const at = `${doorName}.${topic}`;
    if (durability === 'too-few') {
      const detail =
        'min.insync.replicas below 2: one broker alone may acknowledge, and what it loses is lost. The door takes nothing';
      return [failed(at, { detail, remedy: tooFewRemedy(topic) })];
    }
    if (durability === 'alone') {
      const detail = 'the cluster has one broker: what the door acknowledges is lost with it';
      return [
        warning(at, {
          detail,
          remedy: 'Fit for development. Else: three brokers, three replicas, min.insync.replicas=2.',
        }),
      ];
    }
    return [];
  });
  return troublesOr(troubles, ok(doorName, 'two replicas at least have what the door acknowledges'));
}

/** The topics that this process would write to by HTTP. */
export async function checkDoor({
  environment,
  kafka,
  topics: { found: present },
  programs,
}: Given<'kafka' | 'topics' | 'programs'>): Promise<readonly Finding[]> {
  const { roles, kafka: settings } = environment;
  if (!roles.includes('door') || settings === null) return [skipped(doorName, 'this process has no door')];
  const sources = doorSourcesOf(programs.loaded.file, settings.topics);
  // Those that are missing are told of, or nobody uses them.
  const topics = new Set(sources.flatMap(({ topic }) => (topic !== null && present.has(topic) ? [topic] : [])));
  try {
    const found = await Promise.all(
      [...topics].map(async (topic) => [topic, await durabilityOf(kafka, topic)] as const),
    );
    return judgeDoor(new Map(found));
  } catch (error) {
    // To write we need not know it, and many installations do not let us.
    return [skipped(doorName, `cannot be read: ${troubleText(kafkaProblem(error))}`)];
  }
}
