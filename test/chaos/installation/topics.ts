/** The broker is ours alone: the topics have their default names. */
export const sourceTopics = {
  members: 'loyalty.members',
  purchases: 'loyalty.purchases',
  rewards: 'loyalty.rewards',
} as const;

export type SourceTopic = keyof typeof sourceTopics;

export const outcomesTopic = 'loyalty.outcomes';

export const topicNames: readonly string[] = [...Object.values(sourceTopics), outcomesTopic, 'loyalty.dead-letter'];
