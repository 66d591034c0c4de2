import type { DaemonPorts } from '../daemon/daemon-ports.js';
import type { ProgramSketch } from '../world/program-sketch.js';
import type { PlantedBug } from './planted-bug.js';
import { noBug } from './planted-bug.js';
import type { Rewrite } from './rewritten-database.js';
import { RewrittenDatabase } from './rewritten-database.js';

type Known = Pick<PlantedBug, 'name' | 'what' | 'seenIn'>;

function inSql(known: Known, rewrite: Rewrite): PlantedBug {
  const change = (ports: DaemonPorts): DaemonPorts => {
    const database = new RewrittenDatabase(ports.database, rewrite);
    return { ...ports, database, delivery: { ...ports.delivery, database } };
  };
  return { ...noBug, ...known, change };
}

function inPolicy(known: Known, change: (sketch: ProgramSketch) => ProgramSketch): PlantedBug {
  return { ...noBug, ...known, programs: (sketches) => sketches.map(change) };
}

const believesAll = {
  success: {
    statuses: '2xx',
    proof: {
      issue: 'object',
      'issue-via-workflow': 'object',
      'update-via-workflow': 'object',
      transaction: 'object',
      reward: 'object',
    },
  },
} as const;
const resendsAll = { issue: 'resend', update: 'resend', transaction: 'resend', reward: 'resend' } as const;

/** Bugs by name. */
export const plantedBugs: readonly PlantedBug[] = [
  inSql(
    { name: 'revision-ignored', what: 'an enrolment recorded meanwhile does not stop a begin', seenIn: 121 },
    {
      name: 'record_lane_steps',
      from: 'now_revision = revision',
      to: 'true',
    },
  ),
  inSql(
    { name: 'open-attempt-forgotten', what: 'what a dead worker had begun is begun anew', seenIn: 2 },
    {
      name: 'claim_lanes_',
      from: 'attempt_open, open_since, redo',
      to: 'false AS attempt_open, NULL::timestamptz AS open_since, redo',
    },
  ),
  inSql(
    { name: 'leases-ignored', what: 'lanes are claimed before their lease is over', seenIn: 1 },
    {
      name: 'claim_lanes_',
      from: 'due_at <= $2::timestamptz',
      to: "due_at <= $2::timestamptz + interval '8 s'",
    },
  ),
  inPolicy(
    { name: 'no-in-flight-wait', what: 'absence is believed while the call may still be under way', seenIn: 2 },
    (sketch) => ({
      ...sketch,
      inFlightMs: 1,
    }),
  ),
  inPolicy({ name: 'blind-resend', what: 'what may have taken effect is sent again', seenIn: 1 }, (sketch) => ({
    ...sketch,
    onUnknown: resendsAll,
  })),
  inPolicy(
    { name: 'any-object-is-applied', what: 'any 2xx with a JSON object counts as applied', seenIn: 4 },
    (sketch) => ({
      ...sketch,
      dialect: believesAll,
    }),
  ),
];
