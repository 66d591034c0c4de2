import { writeFile } from 'node:fs/promises';

import { programsText } from '../../chaos/installation/programs-text.js';
import { replaceFile } from './secret-files.js';

/** No till ever names it: what a season adds changes the file, and nothing that was routed before. */
const place = 'sticker: "9002" }';

/** The programs file of a run, in as many editions as wanted. */
export class ProgramsFile {
  private edition = 0;

  constructor(
    readonly path: string,
    private readonly requestsPerSecond: number,
  ) {}

  async write(): Promise<void> {
    await writeFile(this.path, this.text);
  }

  /** Another valid one. */
  async change(): Promise<void> {
    this.edition += 1;
    await replaceFile(this.path, this.text);
  }

  /** One that no process may take over. */
  async spoil(): Promise<void> {
    await replaceFile(this.path, this.text.replace('currency: EUR', 'currency: euro'));
  }

  /** The last valid one again. */
  async restore(): Promise<void> {
    await replaceFile(this.path, this.text);
  }

  private get text(): string {
    const season = `sticker: "9002", season-${this.edition}: "9002" }`;
    return programsText(this.requestsPerSecond).replace(place, season);
  }
}
