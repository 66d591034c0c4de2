import type { CallName, ObservationName, Step } from '../reading/specification.js';

/** A step with every `${...}` replaced; keys in angle brackets still stand for names of the dialect. */
export interface ResolvedStep {
  readonly call: CallName;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined where none is sent. */
  readonly body: unknown;
  readonly form: Step['form'];
  readonly token: Step['token'];
  readonly gateway: Step['gateway'];
}

/** What came back, as this client tells it. */
export interface Seen {
  /** Null when there was no complete answer. */
  readonly status: number | null;
  readonly body: unknown;
  /** What the client itself found wrong, whatever the row expects. */
  readonly problems: readonly string[];
}

/** One of the two ways to the partner: plain HTTP, or our gateway's port. */
export interface ContractClient {
  readonly name: 'plain' | 'gateway';
  perform(step: ResolvedStep): Promise<Seen>;
  /** Puts what this client's answers have in place of `<path>`. */
  spell(expected: unknown): unknown;
  /** What is seen on the wire while the client does something that its port does not show. */
  observe(name: ObservationName): Promise<unknown>;
  close(): Promise<void>;
}
