import type { Producer } from '#operations';

import type { DoorSource } from '../door-source.js';

/** What an event says of itself. */
export interface SaidOfEvent {
  /** Its type without prefix; null: none of ours. */
  readonly name: string | null;
  /** What `data.program` holds. */
  readonly program: unknown;
  /** The source that the request names; undefined: none. */
  readonly named: string | undefined;
}

/** A source that has a topic. */
export type WritableSource = DoorSource & { readonly topic: string };

type ChosenSource =
  | { readonly kind: 'source'; readonly source: WritableSource }
  | { readonly kind: 'refused'; readonly code: 'not-allowed' | 'ambiguous'; readonly detail: string };

const notAllowed = (detail: string): ChosenSource => ({ kind: 'refused', code: 'not-allowed', detail });

const isWritable = (source: DoorSource): source is WritableSource => source.isCloudEvents && source.topic !== null;

/** The one source by which this producer may send this event. What it says gives it no right. */
export function chooseSource(
  sources: readonly DoorSource[],
  producer: Producer,
  { name, program, named }: SaidOfEvent,
): ChosenSource {
  if (name === null || producer.types?.includes(name) === false) return notAllowed('type: not for this token');
  const own = sources.filter((each) => producer.sources.includes(each.name) && (named ?? each.name) === each.name);
  if (own.length === 0) return notAllowed('source: not for this token');
  const speaking = own.filter(isWritable).filter(({ types }) => types.includes(name));
  const [source] = speaking;
  if (source === undefined) return notAllowed('type: no source of this token takes it as a CloudEvent');
  if (speaking.length > 1) {
    return { kind: 'refused', code: 'ambiguous', detail: 'several sources may say this: name one (?source=NAME)' };
  }
  const isOfProgram = source.programs === null || source.programs.some((each) => each === program);
  return isOfProgram ? { kind: 'source', source } : notAllowed('data.program: not for this source');
}
