import type { Seen } from '../interpreter/contract-client.js';
import { valueAt } from '../interpreter/value-at.js';
import { nobodysName } from './assumption.js';

/** How a partner speaks of a name that it does not know. */
export class UnknownNames {
  private constructor(
    private readonly wording: string | null,
    /** A request with an unknown name is refused, in whatever words. */
    readonly areRefused: boolean,
  ) {}

  /** @param seen the answer to a request with nobody's name in it */
  static from(seen: Seen): UnknownNames {
    const message = refusalOf(seen);
    return new UnknownNames(wordingIn(message ?? ''), message !== null);
  }

  /** Whether it can be told at all. */
  get isSpoken(): boolean {
    return this.wording !== null;
  }

  /** Whether the answer refuses this name as unknown. */
  refuses(name: unknown, seen: Seen): boolean {
    if (this.wording === null) return false;
    const wording = this.wording.replace(nobodysName, String(name)).replace(/[^\w\s]/g, '\\$&');
    return new RegExp(`(?<!\\w)${wording}(?!\\w)`).test(refusalOf(seen) ?? '');
  }
}

/** The message of a refusal; null where there is none. */
export function refusalOf({ status, body }: Seen): string | null {
  const message = valueAt(body, 'message');
  return status !== null && status >= 400 && status < 500 && typeof message === 'string' ? message : null;
}

/**
 * Up to two words on either side of nobody's name, within one clause: `Unrecognized key: "zzContract"`, `property
 * zzContract should not`. The rest of a message is about other things, and differs from request to request.
 */
function wordingIn(message: string): string | null {
  const around = new RegExp(`(?:[^\\s;,.]+\\s+){0,2}[^\\s;,.]*${nobodysName}[^\\s;,.]*(?:\\s+[^\\s;,.]+){0,2}`);
  return around.exec(message)?.[0] ?? null;
}
