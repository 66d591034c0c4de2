/** How long a connection, TLS included, may take: longer means that nothing was sent. */
export const connectTimeoutMs = 5_000;
/**
 * An idle connection is dropped after this long, unless the environment or the server's keep-alive hint says otherwise: a
 * request that meets a socket which the other side is just closing has an unknown outcome (design.md section 6), and servers
 * close theirs after 2 s (gunicorn) and more, mostly without a hint.
 */
export const keepAliveIdleMs = 1_000;
/** A longer keep-alive hint of the server is cut to this. */
export const keepAliveIdleMsMax = 60_000;
/** Taken off the server's keep-alive hint, for the time a request is under way. */
export const keepAliveMarginMs = 1_000;
/**
 * Connections of this age take no more calls, idle or not: the next ones look the partner's name up again, so that calls
 * follow it to another address.
 */
export const connectionAgeMsMax = 60_000;
/** Connections per origin; further requests queue inside the process, where aborting them is safe. */
export const connectionsPerOriginMax = 256;
/** A larger answer is cut off: what it said is then unknown. */
export const responseBodyBytesMax = 1_048_576;
/** The same for a page of the listing: 2,000 passes of 8 KiB. */
export const listPageBytesMax = 16_777_216;
/** Codings of one body that are undone, one within the other; more make it unreadable. */
export const contentCodingsMax = 3;
/** Largest response head. */
export const responseHeadBytesMax = 16_384;
/** How much of an answer's body is kept as evidence. */
export const evidenceBodyBytesMax = 16_384;
/** How much of a refusal's message is matched and kept. */
export const messageCharsMax = 1_000;
/** How deep the body of a refusal is looked at. */
export const bodyDepthMax = 5;
/** Templates of duplicate refusals that a dialect may hold. */
export const templatesMax = 200;
/** Longest pattern a dialect may hold. */
export const patternCharsMax = 2_000;
/** Characters that a pattern of a dialect may try in one message. */
export const patternStepsMax = 100_000_000;
/** Rows of a page of the listing, unless its caller says otherwise. */
export const listPageSizeDefault = 500;
/** Pages after which a listing is given up: 200 million passes in the largest pages. */
export const listPagesMax = 100_000;
/** Different shape alarms that a listing keeps. */
export const listAlarmsMax = 100;
/** Longest id or key that is sent. */
export const idCharsMax = 1_000;
/** Problems of one input that are reported. */
export const problemsMax = 10;
/** One token request, from asking to its last byte. */
export const tokenTimeoutMs = 10_000;
