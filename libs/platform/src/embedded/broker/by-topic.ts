import type { WireReader } from './wire-reader.js';
import type { WireWriter } from './wire-writer.js';

export interface TopicItems<Item> {
  readonly topic: string;
  readonly items: readonly Item[];
}

/** Many requests list partitions by topic, and their answers mirror the list. */
export const readByTopic = <Item>(body: WireReader, read: (topic: string) => Item): TopicItems<Item>[] =>
  body.array(() => {
    const topic = body.string();
    return { topic, items: body.array(() => read(topic)) };
  });

export const writeByTopic = <Item>(
  answer: WireWriter,
  topics: readonly TopicItems<Item>[],
  write: (item: Item, topic: string) => unknown,
): WireWriter =>
  answer.array(topics, ({ topic, items }) => answer.string(topic).array(items, (item) => write(item, topic)));
