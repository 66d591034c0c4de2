/** The transport id that ties our handlers to our server, whatever else the application listens to. */
export const kafkaBatchTransport = Symbol('kafka-batch');

/** The handlers' patterns; which topic feeds which is a setting. */
export const sourcePatterns = {
  members: 'source.members',
  purchases: 'source.purchases',
  rewards: 'source.rewards',
} as const;

export type SourceName = keyof typeof sourcePatterns;
