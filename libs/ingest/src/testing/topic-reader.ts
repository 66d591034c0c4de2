import type { Consumer, IHeaders, Kafka, Message } from 'kafkajs';

export interface ReadMessage {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Byte by byte, to be produced again. */
  readonly copy: Message;
}

function textsOf(headers: IHeaders | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));
}

/** Reads a topic from its beginning as somebody outside would. */
export class TopicReader {
  readonly messages: ReadMessage[] = [];

  private constructor(private readonly consumer: Consumer) {}

  static async open(kafka: Kafka, topic: string): Promise<TopicReader> {
    const reader = new TopicReader(kafka.consumer({ groupId: `${topic}.reader`, maxWaitTimeInMs: 100 }));
    await reader.consumer.connect();
    await reader.consumer.subscribe({ topics: [topic], fromBeginning: true });
    await reader.consumer.run({
      eachMessage: async ({ message }) => {
        const key = message.key?.toString() ?? null;
        const value = message.value?.toString() ?? null;
        const copy = { key: message.key, value: message.value, headers: message.headers ?? {} };
        reader.messages.push({ key, value, headers: textsOf(message.headers), copy });
      },
    });
    return reader;
  }

  close(): Promise<void> {
    return this.consumer.disconnect();
  }
}
