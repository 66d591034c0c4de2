const relativeDate = /^date([+-]\d{1,6})$/;

/** False for a text that begins like a relative date and is not one: it would go to the caller as it is. */
export function isRetryAfter(value: string): boolean {
  return !/^date/i.test(value) || relativeDate.test(value);
}

/** The Retry-After header of a rule; `date+5` becomes the HTTP date five seconds from now, rounded up. */
export function retryAfterHeader(retryAfter: number | string | undefined, nowMs: number): Record<string, string> {
  if (retryAfter === undefined) return {};
  const [, seconds] = relativeDate.exec(String(retryAfter)) ?? [];
  if (seconds === undefined) return { 'retry-after': String(retryAfter) };
  return { 'retry-after': new Date(Math.ceil(nowMs / 1000 + Number(seconds)) * 1000).toUTCString() };
}
