import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunningProcess } from '#test-support';
import { processMemory } from '#test-support';

const sampleMs = 100;
/** A folder: each curve is written there, too, as JSON. */
const folderName = 'MEMORY_CURVES';

/** Resident memory and liveness of a daemon, as long as somebody wants to know. */
export class MemoryWatch {
  readonly refused: number[] = [];
  private readonly mebibytes: number[] = [];
  private isOver = false;
  private readonly watching: Promise<void>;

  /** @param what is watched, for whoever reads the curve */
  constructor(
    private readonly daemon: RunningProcess,
    private readonly what: string,
  ) {
    this.watching = this.watch();
  }

  /** Tells the curve. @returns the most that was ever resident, in MiB */
  async end(): Promise<number> {
    this.isOver = true;
    await this.watching;
    const { what, mebibytes } = this;
    const peakMebibytes = Math.round((await processMemory(this.daemon.pid)).peakMebibytes);
    process.stderr.write(`${what}: MiB every ${sampleMs} ms: ${mebibytes.join(' ')}\n`);
    process.stderr.write(`${what}: ${peakMebibytes} MiB at most\n`);
    const folder = process.env[folderName] ?? '';
    if (folder !== '') {
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${what.replaceAll(/\W+/g, '-')}.json`);
      await writeFile(file, `${JSON.stringify({ what, sampleMs, peakMebibytes, mebibytes })}\n`);
    }
    return peakMebibytes;
  }

  private async watch(): Promise<void> {
    const { operations } = this.daemon.ready as unknown as { readonly operations: string };
    while (!this.isOver) {
      const [{ residentMebibytes }, { status }] = await Promise.all([
        processMemory(this.daemon.pid),
        fetch(`${operations}/health/live`),
        new Promise((resolve) => setTimeout(resolve, sampleMs)),
      ]);
      this.mebibytes.push(Math.round(residentMebibytes));
      if (status !== 200) this.refused.push(status);
    }
  }
}
