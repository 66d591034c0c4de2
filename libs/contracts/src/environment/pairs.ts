/**
 * `name=value,name=value` with percent-encoding, as OpenTelemetry writes headers and attributes; null where it is
 * something else.
 */
export function parsePairs(text: string): Readonly<Record<string, string>> | null {
  const pairs = text.split(',').filter((item) => item.trim() !== '');
  const read = pairs.map((item) => /^([^=\s]+)\s*=(.*)$/s.exec(item.trim()));
  try {
    return Object.fromEntries(
      read.map((match) => {
        if (match === null) throw new URIError('no pair');
        return [decodeURIComponent(match[1] ?? ''), decodeURIComponent((match[2] ?? '').trim())];
      }),
    );
  } catch {
    return null;
  }
}
