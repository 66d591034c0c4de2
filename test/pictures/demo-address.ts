import { setTimeout as sleep } from 'node:timers/promises';

/** Where the demo's daemon answers, and what opens it. */
export interface DemoAddress {
  readonly url: string;
  readonly token: string;
}

/** Reads what the demo prints once it stays up. @throws when it does not come to that in time */
export async function demoAddress(lines: AsyncIterable<string>, msMax: number): Promise<DemoAddress> {
  const late = new AbortController();
  const waiting = sleep(msMax, null, { signal: late.signal }).then(
    () => Promise.reject(new Error(`the demo does not stay up within ${msMax} ms`)),
    () => null,
  );
  try {
    const found = await Promise.race([readAddress(lines), waiting]);
    if (found === null) throw new Error('the demo ended before it told its address');
    return found;
  } finally {
    late.abort();
  }
}

async function readAddress(lines: AsyncIterable<string>): Promise<DemoAddress | null> {
  let url: string | undefined;
  for await (const line of lines) {
    url = /^ *daemon +(http:\S+)/.exec(line)?.[1] ?? url;
    const token = /^ *operator token +(\S+)/.exec(line)?.[1];
    if (url !== undefined && token !== undefined) return { url, token };
  }
  return null;
}
