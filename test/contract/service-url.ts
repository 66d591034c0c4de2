const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** An address without a slash at its end; null when a secret must not go there. */
export function normalizedUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, username, search, hash, href } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname));
  return isSafe && username === '' && search === '' && hash === '' ? href.replace(/\/+$/, '') : null;
}
