import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { programsText } from './installation/programs.js';
import { Undo } from '../support/process/program.js';
import type { Drill } from './drill.js';
import type { DrillReport } from './report.js';

/** Of each program. */
const requestsPerSecond = 200;

type Opened = Pick<Drill, 'folder' | 'programsPath' | 'say'> & { readonly undo: Undo };

/**
 * Runs `work` with a folder of its own, in which the programs file of the drills lies, and undoes what it asks for. The folder
 * stays as evidence where not everything is as it should be.
 */
export async function withDrillFolder(work: (opened: Opened) => Promise<DrillReport>): Promise<DrillReport> {
  const startedAt = performance.now();
  const say = (text: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stderr.write(`[${String(seconds).padStart(4)} s] ${text}\n`);
  };
  const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-drill-'));
  const undo = new Undo();
  const seen = { ok: false };
  try {
    return await undo.after(async () => {
      const programsPath = join(folder, 'loyaltyd.yaml');
      await writeFile(programsPath, programsText(requestsPerSecond));
      const report = await work({ folder, programsPath, say, undo });
      seen.ok = report.ok;
      return report;
    });
  } finally {
    if (seen.ok) await rm(folder, { recursive: true });
    else say(`evidence: ${folder}`);
  }
}
