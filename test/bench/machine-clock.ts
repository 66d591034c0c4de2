const nanosecondsPerMs = 1e6;

/** Milliseconds of the machine's monotonic clock: the same in all processes, whatever happens to the time of day. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / nanosecondsPerMs;
