interface Channel {
  readonly address?: unknown;
  readonly messages?: Readonly<Record<string, unknown>>;
}

export interface Contract {
  readonly name: string;
  /** Of the topics in which such events are. */
  readonly topics: readonly string[];
  readonly schema: unknown;
}

interface Published {
  readonly asyncapi?: { readonly channels?: Readonly<Record<string, Channel>> };
  readonly schemas?: Readonly<Record<string, unknown>>;
}

/** The event types of `GET /contracts`, whose answer the document leaves open. */
export function contractsIn(answer: unknown): readonly Contract[] {
  const { asyncapi, schemas = {} } = (answer ?? {}) as Published;
  const channels = Object.values(asyncapi?.channels ?? {});
  return Object.entries(schemas).map(([name, schema]) => ({
    name,
    schema,
    topics: channels.flatMap(({ address, messages = {} }) =>
      Object.hasOwn(messages, name) && typeof address === 'string' ? [address] : [],
    ),
  }));
}
