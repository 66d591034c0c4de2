import { createHash, randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const secretBytes = 24;

/** Files are replaced whole, as an orchestrator does it with mounted ones: nobody reads half of one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** What the daemons' `NAME_FILE` variables point at, and who holds what. Secrets of before are remembered. */
export class SecretFiles {
  readonly clientSecretPath: string;
  readonly operatorTokensPath: string;
  private readonly everHeld: string[] = [];
  private token = '';

  constructor(folder: string) {
    this.clientSecretPath = join(folder, 'client-secret');
    this.operatorTokensPath = join(folder, 'operator-tokens');
  }

  /** All of them, the old ones too: none may be read anywhere. */
  get all(): readonly string[] {
    return this.everHeld;
  }

  /** The operator's, as it is now. */
  get operatorToken(): string {
    return this.token;
  }

  /** @returns the new one, which only the file knows yet */
  async renewClientSecret(): Promise<string> {
    const secret = this.invent();
    await replaceFile(this.clientSecretPath, secret);
    return secret;
  }

  async renewOperatorToken(): Promise<void> {
    this.token = this.invent();
    const hash = createHash('sha256').update(this.token).digest('hex');
    await replaceFile(this.operatorTokensPath, `soak:admin:${hash}\n`);
  }

  private invent(): string {
    const secret = randomBytes(secretBytes).toString('hex');
    this.everHeld.push(secret);
    return secret;
  }
}
