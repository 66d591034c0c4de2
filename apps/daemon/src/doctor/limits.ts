/**
 * How long checks may take. No chain of checks that build on each other is longer than three: a connection, what is read
 * by it, and what is concluded from two such readings. So the whole ends within their sum, 13 s, whatever hangs.
 */
export const connectMs = 5_500;
export const readMs = 4_000;
export const concludeMs = 3_500;
/** How long letting go of connections is waited for. */
export const releaseMs = 1_000;
/** Names told in one line. */
export const namesToldMax = 10;
/** Programs whose partner is asked. */
export const programsAskedMax = 10;
/** Brokers of `KAFKA_BROKERS` that are tried. */
export const brokersTriedMax = 10;
