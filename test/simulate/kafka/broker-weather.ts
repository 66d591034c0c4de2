/** What befalls the brokers' clients just now; probabilities of each call. */
export interface BrokerWeather {
  isDown: boolean;
  /** A fetch, a heartbeat or a question about offsets that fails. */
  failsCalls: number;
  /** A batch that was fetched before a seek is handed over all the same. */
  handsOverStale: number;
  /** A partition is fetched from before its consumer said where to begin. */
  fetchesBeforeSeek: number;
  /** A batch is handed over again although it was acknowledged. */
  redelivers: number;
  /** A member learns late that the group was rebalanced. */
  tellsLate: number;
  /** Offsets are taken by markers of transactions. */
  writesControlRecords: number;
  /** A producer is not told that its record was stored, and sends it again. */
  losesProduceAcknowledgement: number;
}

export function calmBroker(): BrokerWeather {
  return {
    isDown: false,
    failsCalls: 0,
    handsOverStale: 0,
    fetchesBeforeSeek: 0,
    redelivers: 0,
    tellsLate: 0,
    writesControlRecords: 0,
    losesProduceAcknowledgement: 0,
  };
}
