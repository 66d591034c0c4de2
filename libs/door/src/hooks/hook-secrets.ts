import { Injectable } from '@nestjs/common';

import type { Hook } from '#contracts';
import { Clock, errorFields, Logger, readFileStart } from '#platform';

/** How soon a changed file counts. */
export const secretFreshMs = 2_000;
/** What is longer is another file. */
const secretBytesMax = 4_096;

/** Vendors make longer ones, of more characters. */
const secretCharsMin = 16;
const differentCharsMin = 8;

/** Whether anybody could guess it, as a word that stands for what was to be filled in. */
function isGuessable(text: string): boolean {
  return text.length < secretCharsMin || new Set(text).size < differentCharsMin;
}

interface Held {
  readonly secret: string | null;
  readonly lookedAt: number;
}

/**
 * The secrets of webhooks, read again from their files. A file that cannot be read, is too long, or holds what
 * anybody could guess leaves what it held before in force; nothing of it is ever logged.
 */
@Injectable()
export class HookSecrets {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Those that could be read: none where no file ever could. */
  async of({ secretFiles }: Pick<Hook, 'secretFiles'>): Promise<readonly string[]> {
    const secrets = await Promise.all(secretFiles.map((path) => this.secretIn(path)));
    return secrets.filter((secret) => secret !== null);
  }

  private async secretIn(path: string): Promise<string | null> {
    const now = this.clock.monotonic();
    const held = this.held.get(path);
    if (held !== undefined && now - held.lookedAt < secretFreshMs) return held.secret;
    const secret = (await this.read(path)) ?? held?.secret ?? null;
    this.held.set(path, { secret, lookedAt: now });
    return secret;
  }

  private async read(path: string): Promise<string | null> {
    try {
      const bytes = await readFileStart(path, secretBytesMax);
      const text = bytes.toString('utf8').replace(/\r?\n$/, '');
      if (!isGuessable(text) && bytes.length <= secretBytesMax) return text;
      this.logger.warn({ file: path }, 'the secret of a webhook is too long, or anybody could guess it');
    } catch (error) {
      this.logger.warn({ ...errorFields(error), file: path }, 'the secret of a webhook cannot be read');
    }
    return null;
  }
}
