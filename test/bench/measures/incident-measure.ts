import { ConsoleFixture } from '../../console/console-fixture.js';
import { causeIncident, incidentMemberCount, incidentPrograms, mendIncident } from '../../console/incident-steps.js';
import { Undo } from '../../support/process/program.js';
import type { FiguresReport } from '../report/bench-report.js';
import { judgeFigure } from '../report/judge.js';
import { rounded } from '../statistics.js';
import type { MeasureTools } from './measure.js';

const secondsMax = 60;

const measure = async ({ say }: MeasureTools, undo: Undo): Promise<FiguresReport> => {
  const fixture = await ConsoleFixture.open(incidentPrograms);
  undo.add(() => fixture.close());
  say(`incident: the partner refuses ${incidentMemberCount} purchases`);
  await causeIncident(fixture);
  const seat = await fixture.sit();
  const since = performance.now();
  const { clicks, decisions } = await mendIncident(fixture, seat);
  const seconds = (performance.now() - since) / 1_000;
  return {
    kind: 'figures',
    name: 'incident',
    unit: 'as shown',
    columns: ['seconds', 'clicks', 'decisions'],
    rows: [{ label: 'from the first look to the last purchase', values: [rounded(seconds), clicks, decisions] }],
    bars: [judgeFigure({ text: 'an incident is over within 60 s', atMost: secondsMax }, seconds)],
    notes: ['By a real Chromium that reads and clicks at once, beside everything else on the same processors.'],
  };
};

/** How long someone with nothing but the console takes for an incident. */
export const incidentMeasure = (tools: MeasureTools): Promise<FiguresReport> => {
  const undo = new Undo();
  return undo.after(() => measure(tools, undo));
};
