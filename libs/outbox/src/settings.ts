/** Every bound of the delivery loop. Times in milliseconds. */
export interface DeliverySettings {
  /**
   * How long a lane is ours after a claim or a renewal: covers the send window, the partner's timeout and 5 s more for
   * each request, and some seconds in which further requests need no renewal.
   */
  readonly leaseMs: number;
  /** How long recording a begin may take: an attempt recorded later is not sent. */
  readonly sendWindowMs: number;
  readonly partnerTimeoutMs: number;
  /** Lanes held at once over all programs. */
  readonly lanesHeldMax: number;
  /** Lanes of one claim. */
  readonly claimBatchSizeMax: number;
  /** Group commits under way at once. */
  readonly flushesMax: number;
  /** Lanes in one group commit. */
  readonly flushBatchSizeMax: number;
  /** From one group commit to the next that holds a few outcomes only, at least (decision 0015). */
  readonly flushSpacingMs: number;
  /** Pause between claims that found little, jittered. */
  readonly idlePollMs: number;
  /**
   * Pause after a claim that found nothing, at most, where other processes tell of their work (`Wake.hearsOthers`) and
   * nothing is due before; jittered.
   */
  readonly idlePollMsMax: number;
  /** Requests at once per program, at most, where the programs file names no limit: how many are used adapts. */
  readonly concurrencyAdaptiveMax: number;
  /** Lookups take at most this share of a program's concurrency, and of its turns while others wait. */
  readonly lookupShare: number;
  /** Pause between two reports to the other replicas: half of the second within which a pause must be seen. */
  readonly coordinationMs: number;
  /** The same while nothing is held: still within the second. Taking up work reports at once. */
  readonly coordinationIdleMs: number;
}

/** What a lease must last beyond the request it covers: for recording the outcome, and for small stalls. */
const leaseSlackMs = 5_000;
const sendWindowMsDefault = 2_000;
/** Several intents are sent under one lease. A renewal changes the indexed `due_at`, a begin without one no index. */
const leaseReserveMsDefault = 8_000;

/** The defaults for a partner timeout of `WALLET_TIMEOUT_MS`. */
export function deliverySettings(partnerTimeoutMs: number): DeliverySettings {
  return {
    leaseMs: sendWindowMsDefault + partnerTimeoutMs + leaseSlackMs + leaseReserveMsDefault,
    sendWindowMs: sendWindowMsDefault,
    partnerTimeoutMs,
    lanesHeldMax: 1_024,
    claimBatchSizeMax: 256,
    flushesMax: 2,
    flushBatchSizeMax: 512,
    flushSpacingMs: 10,
    idlePollMs: 20,
    idlePollMsMax: 1_000,
    concurrencyAdaptiveMax: 256,
    lookupShare: 0.1,
    coordinationMs: 500,
    coordinationIdleMs: 900,
  };
}

/** Latest handing over of a request under a lease that ends then. */
export function sendByOf(leaseUntil: number, { partnerTimeoutMs }: DeliverySettings): number {
  return leaseUntil - partnerTimeoutMs - leaseSlackMs;
}

/** What must be left of a lease when an attempt is begun under it. */
export function leaseNeededMs({ sendWindowMs, partnerTimeoutMs }: DeliverySettings): number {
  return sendWindowMs + partnerTimeoutMs + leaseSlackMs;
}

/** Refuses settings under which a lease could end while its request is under way. */
export function assertLeaseOutlivesRequest(settings: DeliverySettings): void {
  const neededMs = leaseNeededMs(settings);
  if (settings.leaseMs < neededMs) {
    throw new RangeError(`leaseMs is ${settings.leaseMs}, but a request may need ${neededMs} ms`);
  }
}
