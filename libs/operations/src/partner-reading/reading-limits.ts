/** Rows of a page: the most that the partner gives (partner-api.md section 8). */
export const readPageSize = 2_000;
/** Pages and single lookups of one job, per second, where nothing allows less. */
export const pagesPerSecondMax = 2;
export const lookupsPerSecondMax = 5;
/** Part of a program's `limits.requestsPerSecond` that jobs may have; delivery keeps the rest. */
export const requestShareMax = 0.1;
export const pageTimeoutMs = 20_000;
export const lookupTimeoutMs = 10_000;
/** A turn ends after this time at the latest, but for the call under way: well within a job's lease. */
export const readingTurnMs = 5_000;
/** How long a job keeps away while another one reads there, or somebody has paused the program. */
export const awayMs = 5_000;
/** Troubles of the partner in a row before a job is given up: with the longest backoff more than a day. */
export const partnerTroublesMax = 400;
/** Lines that a job keeps of each of the seven kinds of findings; more are only counted. */
export const linesPerKindMax = 14_000;
/** Listings that a process keeps open between turns. */
export const openListingsMax = 8;
