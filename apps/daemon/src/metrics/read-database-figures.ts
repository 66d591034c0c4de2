import { countStrayEvents, listGaps } from '#intents';
import type { OldestUnknown } from '#operations';
import { findOldestUnknown } from '#operations';
import type { Clock, Database, FreeSpace, InspectedConnections, InspectedSize } from '#platform';
import { freeSpace, inspectConnections, inspectSize, listLongTransactions, listReplicationSlots } from '#platform';

/** How the database itself is, beyond what lies in it. */
export interface DatabaseFigures {
  /** Epoch ms. */
  readonly at: number;
  /** The transaction that has been open for longest: dead rows younger than it cannot be cleaned up. */
  readonly oldestTransactionMs: number;
  readonly size: InspectedSize;
  /** Null where the server's disk cannot be seen from here. */
  readonly disk: FreeSpace | null;
  readonly connections: InspectedConnections;
  /** WAL that the slot furthest behind keeps. */
  readonly walHeldBytes: number;
  readonly strayEvents: number;
  /** Partitions that stand still because records were lost. */
  readonly gaps: number;
  readonly oldestUnknown: readonly OldestUnknown[];
}

/** Reads one after the other, each in milliseconds: whoever only looks takes one connection. @throws {DatabaseError} */
export async function readDatabaseFigures(
  database: Database,
  { clock, host }: { readonly clock: Pick<Clock, 'now'>; readonly host: string },
): Promise<DatabaseFigures> {
  const at = clock.now();
  const transactions = await listLongTransactions(database, 0);
  const size = await inspectSize(database);
  const slots = await listReplicationSlots(database);
  return {
    at,
    oldestTransactionMs: Math.max(0, ...transactions.map(({ openForMs }) => openForMs)),
    size,
    disk: await freeSpace(host, size),
    connections: await inspectConnections(database),
    walHeldBytes: Math.max(0, ...slots.map(({ heldBytes }) => heldBytes ?? 0)),
    strayEvents: await countStrayEvents(database),
    gaps: (await listGaps(database)).length,
    oldestUnknown: await findOldestUnknown(database),
  };
}
