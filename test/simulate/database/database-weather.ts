/** What befalls calls of the database just now; probabilities of each call. */
export interface DatabaseWeather {
  /** Nobody can reach it. */
  isDown: boolean;
  /** Fails before anything has happened. */
  failsBefore: number;
  /** Commits, but nobody hears of it. */
  losesAcknowledgement: number;
  /** The caller is told that it failed, and the statement runs all the same, later. */
  runsAfterFailure: number;
  /** A transaction breaks off in its middle and is rolled back. */
  breaksOff: number;
  /** Deadlocks that outlived their repetitions. */
  contends: number;
  /** Takes seconds. */
  isSlow: number;
}

export function calmDatabase(): DatabaseWeather {
  return {
    isDown: false,
    failsBefore: 0,
    losesAcknowledgement: 0,
    runsAfterFailure: 0,
    breaksOff: 0,
    contends: 0,
    isSlow: 0,
  };
}
