import { Kafka, logLevel } from 'kafkajs';
import { waitUntil } from '#embedded';

const timeoutMs = 30_000;

/**
 * Waits until a fresh broker coordinates consumer groups. It makes the topic for their offsets when the first group is
 * asked for, and refuses groups meanwhile: every test that comes first would see errors in its log and wait for retries.
 */
export const awaitCoordinator = async (brokers: string): Promise<void> => {
  const kafka = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING, retry: { retries: 0 } });
  const admin = kafka.admin();
  await admin.connect();
  const answers = async (): Promise<boolean> => {
    const { groups } = await admin.describeGroups(['loyaltyd-warm-up']);
    return (groups[0] as { errorCode?: number } | undefined)?.errorCode === 0; // missing in kafkajs' types
  };
  try {
    await waitUntil(() => answers().catch(() => false), { what: 'the group coordinator', timeoutMs });
  } finally {
    await admin.disconnect();
  }
};
