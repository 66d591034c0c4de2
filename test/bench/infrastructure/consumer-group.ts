import { waitUntil } from '#embedded';
import { kafkaClient } from '#test-support';

/** A group, and the broker that knows it. */
export interface ConsumerGroup {
  readonly brokers: string;
  readonly groupId: string;
}

const lookIntervalMs = 100;

/** Resolves when the broker says that the group has exactly so many consumers, and that its partitions are shared out. */
export const awaitMembers = async (group: ConsumerGroup, count: number, timeoutMs: number): Promise<void> => {
  const admin = kafkaClient(group).admin();
  await admin.connect();
  const isStable = async (): Promise<boolean> => {
    const { groups } = await admin.describeGroups([group.groupId]);
    return groups[0]?.state === 'Stable' && groups[0].members.length === count;
  };
  const what = `a group of ${count} consumers`;
  await waitUntil(isStable, { what, timeoutMs, intervalMs: lookIntervalMs }).finally(() => admin.disconnect());
};
