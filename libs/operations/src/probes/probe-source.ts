/** Injection token of what the probes ask. */
export const PROBE_SOURCE = Symbol('ProbeSource');

/** Answer of one probe: `problems` is empty when all is well; each names what is wrong, for people. */
export interface ProbeAnswer {
  readonly problems: readonly string[];
}

/** What a process can say about itself (contracts.md section 5). Neither partner nor rebalances make it unhealthy. */
export interface ProbeSource {
  /** The event loop turns, and work moves if work is due and Postgres answers. */
  live(): ProbeAnswer;
  /** Configuration, schema, Postgres. */
  ready(): Promise<ProbeAnswer>;
  /** The start has been completed. */
  started(): ProbeAnswer;
  /** All metrics in the Prometheus text format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
}
