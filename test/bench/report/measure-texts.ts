/** What each measure does, for the page. */
export const measureTexts: Readonly<Record<string, string>> = {
  delivery:
    'A recorded backlog is delivered to a partner that answers at once: by the delivery loop, by job queues with the same HTTP client, and by loops that keep nothing.',
  crowd: 'The same backlog is delivered beside lanes that are blocked and one lane that is very long.',
  ingest: 'Events that wait in Kafka become intents; beside it, a bare consumer writes rows of the same size.',
  latency:
    'One real daemon does nothing but what a few customers ask of it: the time from an event to the call at the partner.',
  backlog: 'The rate of the first deliveries must not depend on how much else is pending, or paused.',
  processes: 'Several delivery processes work on one database.',
  snapshot:
    'A long report or a backup holds a snapshot of the database while deliveries go on, so that nothing can be cleaned up.',
  disk: 'What a delivered intent leaves on the disk of Postgres, table by table.',
  lists: 'Operators page through what months have left behind, by every filter there is.',
  memory: 'One real daemon takes events from Kafka and delivers them, for as long as there are any.',
};
