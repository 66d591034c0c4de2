import type { DrillResult } from './drills.js';
import type { RowResult } from './interpreter/session.js';
import type { CallName, Specification } from './specification.js';
import { callNames } from './specification.js';

/** How many of how many; nothing of nothing is an empty cell. */
export interface Cell {
  readonly good: number;
  readonly all: number;
}

/** One line of the coverage table: what of a call has really been run. */
export interface CoverageLine {
  readonly call: CallName;
  readonly section: string;
  /** Calls through the gateway's port, and how many of them came back as documented. */
  readonly gateway: Cell;
  /** Calls by plain HTTP, and how many of them the service answered as documented. */
  readonly service: Cell;
  /** Rows of the document that make this call, by either client. */
  readonly rows: Cell;
  /** Faults that this call went through, and how many of them came out as they must; null where there are no dials. */
  readonly faults: Cell | null;
  /** Places where the daemon or a command makes this call; null where the sources are not there. */
  readonly product: Cell | null;
}

interface CoverageParts {
  readonly specification: Specification;
  readonly results: readonly RowResult[];
  /** Null where the service has no fault dials. */
  readonly drills: readonly DrillResult[] | null;
  /** Null where the sources are not there. */
  readonly callers: ReadonlyMap<CallName, number> | null;
}

/** Counted from what has run, not from what could be. */
export function coverageOf({ specification, results, drills, callers }: CoverageParts): CoverageLine[] {
  return callNames.map((call) => ({
    call,
    section: specification.calls[call].section,
    gateway: callsOf(results, call, 'gateway'),
    service: callsOf(results, call, 'plain'),
    rows: cellOf(
      results.filter(
        ({ calls, verdict }) =>
          verdict !== 'not-run' && verdict !== 'otherwise' && calls.some((made) => made.call === call),
      ),
      ({ verdict }) => verdict === 'passed',
    ),
    faults:
      drills === null
        ? null
        : cellOf(
            drills.filter((drill) => drill.call === call),
            ({ problems }) => problems.length === 0,
          ),
    product: callers === null ? null : placesOf(callers, call),
  }));
}

/** The cells that nothing stands in, as `reward: gateway`. */
export function emptyCells(lines: readonly CoverageLine[]): string[] {
  return lines.flatMap(({ call, gateway, service, rows, faults, product }) =>
    Object.entries({ gateway, service, rows, faults, product }).flatMap(([column, cell]) =>
      cell !== null && cell.good === 0 ? [`${call}: ${column}`] : [],
    ),
  );
}

function callsOf(results: readonly RowResult[], call: CallName, client: RowResult['client']): Cell {
  const made = results.filter((result) => result.client === client).flatMap(({ calls }) => calls);
  return cellOf(
    made.filter((one) => one.call === call),
    ({ ok }) => ok,
  );
}

function placesOf(callers: ReadonlyMap<CallName, number>, call: CallName): Cell {
  const places = callers.get(call) ?? 0;
  return { good: places, all: places };
}

function cellOf<Item>(items: readonly Item[], isGood: (item: Item) => boolean): Cell {
  return { good: items.filter(isGood).length, all: items.length };
}
