import type { HttpRequest, HttpResult } from '#gateway';
import type { Database, SqlParameter, SqlResult, SqlSession, SqlStatement } from '#platform';

import type { DaemonPorts } from '../daemon/sim-daemon.js';
import type { ProgramSketch } from '../world/scenario.js';
import type { PlantedBug } from './planted-bug.js';
import { noBug } from './planted-bug.js';

/** Another text for statements of this name (or whose name begins so). */
interface Rewrite {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** A database that is asked something else than the code meant to ask. */
class RewrittenDatabase implements Database {
  constructor(
    private readonly database: Database,
    private readonly rewrite: Rewrite & { readonly bug: string },
  ) {}

  transaction<T>(name: string, work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.database.transaction(name, (session) =>
      work({ query: (statement, parameters) => session.query(this.changed(statement), parameters) }),
    );
  }

  execute<Row extends object>(statement: SqlStatement, parameters?: readonly SqlParameter[]): Promise<SqlResult<Row>> {
    return this.database.execute<Row>(this.changed(statement), parameters);
  }

  private changed(statement: SqlStatement): SqlStatement {
    const { name, from, to, bug } = this.rewrite;
    if (!statement.name.startsWith(name)) return statement;
    if (!statement.text.includes(from)) throw new Error(`${name} holds no ${from} any more: plant the bug anew`);
    return { name: `${statement.name} ${bug}`, text: statement.text.replaceAll(from, to) };
  }
}

type Known = Pick<PlantedBug, 'name' | 'what' | 'seenIn'>;

function inSql(known: Known, ...rewrites: readonly Rewrite[]): PlantedBug {
  const change = (ports: DaemonPorts): DaemonPorts => {
    const rewritten = (inner: Database, each: Rewrite): Database =>
      new RewrittenDatabase(inner, { ...each, bug: known.name });
    const database = rewrites.reduce(rewritten, ports.database);
    return { ...ports, database, delivery: { ...ports.delivery, database } };
  };
  return { ...noBug, ...known, change };
}

function inPolicy(known: Known, change: (sketch: ProgramSketch) => ProgramSketch): PlantedBug {
  return { ...noBug, ...known, programs: (sketches) => sketches.map(change) };
}

/** What is appended to a lane by others than its owner: not where this holds. */
function unless(condition: string): Rewrite {
  const from = 'WHERE lane_id = $1\n  RETURNING';
  return { name: 'append_by_others', from, to: from.replace('\n', ` AND NOT (${condition})\n`) };
}

/** Events of this kind are stored, and not read by whoever claims a lane. */
function unread(condition: string): Rewrite {
  const from = 'ORDER BY e.lane_id, e.seq, e.version';
  return { name: 'load_events', from, to: `WHERE NOT (${condition}) ${from}` };
}

/** A partner that is heard to say something else than it said. */
function inAnswers(known: Known, heard: (request: HttpRequest, result: HttpResult) => HttpResult): PlantedBug {
  const change = (ports: DaemonPorts): DaemonPorts => {
    const send = async (request: HttpRequest): Promise<HttpResult> =>
      heard(request, await ports.transport.send(request));
    return { ...ports, transport: { send } };
  };
  return { ...noBug, ...known, change };
}

interface Carried {
  readonly passdata?: { readonly metaData?: { readonly memberId?: string } };
}

/** What a body carries; nothing where it is no JSON object. */
function carried(body: string | null): Carried {
  try {
    return (JSON.parse(body ?? '') as Carried | null) ?? {};
  } catch {
    return {};
  }
}

/** Another member's pass is read as if it were the one that was asked for. */
function asIfAsked({ path, body }: HttpRequest, result: HttpResult): HttpResult {
  const asked = new URLSearchParams(path.split('?')[1]).get('unique_id') ?? carried(body).passdata?.metaData?.memberId;
  const answer = carried(result.body.toString('utf8'));
  if (result.status !== 200 || answer.passdata?.metaData === undefined || asked === undefined) return result;
  const own = { ...answer, passdata: { ...answer.passdata, metaData: { memberId: asked } } };
  return { ...result, body: Buffer.from(JSON.stringify(own)) };
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

/** Mistakes about what is taken back. */
const takingBack: readonly PlantedBug[] = [
  inSql(
    {
      name: 'early-void-forgotten',
      what: 'a void or revocation of what is not known yet is dropped',
      seenIn: 25,
    },
    unless(`$4 IN ('IntentCancelled', 'IntentParked') AND $6::jsonb ? 'cause' AND $7::bytea IS NOT NULL`),
  ),
  inSql(
    { name: 'voided-sent-again', what: 'what was voided under way or in doubt is sent again', seenIn: 33 },
    unread(`e.type = 'CancelRequested'`),
  ),
  inSql(
    {
      name: 'refund-finds-nothing',
      what: 'a refund does not find its purchase, and is posted',
      seenIn: 20,
    },
    {
      name: 'insert_intents',
      from: 'dedup_key, waits_for_seq, waits_for_key, payload, store_id, purchase_id,',
      to: 'dedup_key, NULL::int, NULL::bytea, payload, store_id, purchase_id,',
    },
  ),
];

/** Bugs by name. */
export const plantedBugs: readonly PlantedBug[] = [
  ...takingBack,
  inSql(
    { name: 'revision-ignored', what: 'an enrolment recorded meanwhile does not stop a begin', seenIn: 18 },
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
    { name: 'leases-ignored', what: 'lanes are claimed before their lease is over', seenIn: 78 },
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
    { name: 'any-object-is-applied', what: 'any 2xx with a JSON object counts as applied', seenIn: 26 },
    (sketch) => ({
      ...sketch,
      dialect: believesAll,
    }),
  ),
  inSql(
    {
      name: 'found-pass-not-told',
      what: 'a pass that an enrolment finds keeps what it said before',
      seenIn: 21,
    },
    {
      name: 'find_renewed',
      from: 'i.seq = l.issue_seq',
      to: 'false',
    },
  ),
  inAnswers({ name: 'owner-ignored', what: "another member's pass proves an enrolment", seenIn: 12 }, asIfAsked),
];
