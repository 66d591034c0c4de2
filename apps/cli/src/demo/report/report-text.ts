import type { AuditReport } from '../audit/audit.js';
import { isClean } from '../audit/audit.js';

/** The audit's figures and how long the run took from its first event to the last settled intent. */
export type DemoFigures = Omit<AuditReport, 'findings'> & { readonly seconds: number };

const meanings: Readonly<Record<keyof DemoFigures, string>> = {
  events: 'records emitted to Kafka',
  intents: 'calls owed to the partner',
  delivered: 'effects found in the partner’s ledger, each exactly once',
  parked: 'a person must look (members who never enrolled)',
  quarantined: 'records that could not become intents, kept with their reason',
  duplicatesAtPartner: 'effects that are there too often',
  outOfOrderAtPartner: 'effects of a member that overtook another',
  lost: 'effects and records that are nowhere',
  seconds: 'from the first event to the last settled intent',
};

/** A table for people. */
export function reportTable(figures: DemoFigures): string {
  const rows = Object.entries(meanings).map(([name, meaning]) => {
    return `  ${name.padEnd(20)} ${String(figures[name as keyof DemoFigures]).padStart(8)}  ${meaning}`;
  });
  const verdict = isClean({ ...figures, findings: [] })
    ? 'Nothing lost, nothing twice, every member in order.'
    : 'Not clean: see the findings above.';
  return `\nAudited against the wallet sandbox’s own ledger:\n\n${rows.join('\n')}\n\n${verdict}\n`;
}
