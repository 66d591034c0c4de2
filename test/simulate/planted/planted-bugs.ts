import type { DaemonPorts } from '../daemon/daemon-ports.js';
import type { ProgramSketch } from '../world/program-sketch.js';
import type { PlantedBug } from './planted-bug.js';
import { noBug } from './planted-bug.js';
import type { Rewrite } from './rewritten-database.js';
import { RewrittenDatabase } from './rewritten-database.js';

function inSql(name: string, what: string, rewrite: Rewrite): PlantedBug {
  const change = (ports: DaemonPorts): DaemonPorts => {
    const database = new RewrittenDatabase(ports.database, rewrite);
    return { ...ports, database, delivery: { ...ports.delivery, database } };
  };
  return { ...noBug, name, what, change };
}

function inPolicy(name: string, what: string, change: (sketch: ProgramSketch) => ProgramSketch): PlantedBug {
  return { ...noBug, name, what, programs: (sketches) => sketches.map(change) };
}

const resendsAll = { issue: 'resend', update: 'resend', transaction: 'resend', reward: 'resend' } as const;

/** Bugs by name. */
export const plantedBugs: readonly PlantedBug[] = [
  inSql('revision-ignored', 'an enrolment recorded meanwhile does not stop a begin', {
    name: 'record_lane_steps',
    from: 'now_revision = revision',
    to: 'true',
  }),
  inSql('open-attempt-forgotten', 'what a dead worker had begun is begun anew', {
    name: 'claim_lanes_',
    from: 'attempt_open, open_since, redo',
    to: 'false AS attempt_open, NULL::timestamptz AS open_since, redo',
  }),
  inSql('leases-ignored', 'lanes are claimed before their lease is over', {
    name: 'claim_lanes_',
    from: 'due_at <= $2::timestamptz',
    to: "due_at <= $2::timestamptz + interval '8 s'",
  }),
  inPolicy('no-in-flight-wait', 'absence is believed while the call may still be under way', (sketch) => ({
    ...sketch,
    inFlightMs: 1,
  })),
  inPolicy('blind-resend', 'what may have taken effect is sent again', (sketch) => ({
    ...sketch,
    onUnknown: resendsAll,
  })),
];
