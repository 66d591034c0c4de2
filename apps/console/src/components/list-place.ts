import { type AnyRouter, useRouter } from '@tanstack/react-router';
import { type RefObject, useLayoutEffect, useState } from 'react';

import type { Rows } from '../api/page-rows.js';

/** Where somebody was in a list when they opened one of its rows. */
interface ListPlace {
  readonly rowId: string;
  /** How far below the top of the window that row stood. */
  readonly topPx: number;
}

/** By the entry of the browser's history: "back" comes to the place, a new visit begins at the top. */
const places = new Map<string, ListPlace>();
const placesMax = 50;

const entryOf = (router: AnyRouter, label: string): string =>
  `${router.latestLocation.state.__TSR_key ?? router.latestLocation.href} ${label}`;

function keep(entry: string, place: ListPlace): void {
  places.delete(entry);
  places.set(entry, place);
  const [oldest] = places.keys();
  if (places.size > placesMax && oldest !== undefined) places.delete(oldest);
}

/** The list that somebody came from last, as it was then. */
interface Trail {
  readonly entry: string;
  readonly label: string;
  readonly count: number;
  readonly idAt: (index: number) => string | null;
  readonly indexOf: (id: string) => number;
}

let trail: Trail | null = null;

/** What stands before and behind a row in the list that one came from. */
export interface Neighbours {
  readonly label: string;
  /** From 0 on. */
  readonly index: number;
  /** So many rows had been read. */
  readonly count: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/** Null: one did not come from a list with that row. */
export function neighboursOf(id: string): Neighbours | null {
  const index = trail?.indexOf(id) ?? -1;
  if (trail === null || index < 0) return null;
  const { label, count, idAt } = trail;
  return { label, index, count, previous: idAt(index - 1), next: idAt(index + 1) };
}

/** Whoever goes on to a neighbour comes back to that one. */
export function moveTrail(id: string): void {
  const place = trail === null ? undefined : places.get(trail.entry);
  if (trail !== null && place !== undefined) keep(trail.entry, { ...place, rowId: id });
}

/** Whether one comes back to a row of this list. */
export function useHasPlace(label: string): boolean {
  const router = useRouter();
  return useState(() => places.has(entryOf(router, label)))[0];
}

interface ListPlaceOptions<Row> {
  readonly label: string;
  readonly body: RefObject<HTMLElement | null>;
  readonly rows: Rows<Row>;
  readonly rowId: (row: Row) => string;
  readonly rowPx: number;
  readonly onBack: (index: number) => void;
}

interface KeptPlace {
  /** The row that one comes back from; null: one comes from elsewhere. */
  readonly openedId: string | null;
  /** Before one leaves by that row. */
  readonly keepPlace: (index: number) => void;
}

/** Who opens a row and comes back is where they were: at that row, whatever stands above it by then. */
export function useListPlace<Row>(options: ListPlaceOptions<Row>): KeptPlace {
  const { label, body, rows, rowId, rowPx, onBack } = options;
  const router = useRouter();
  const [back] = useState(() => {
    const entry = entryOf(router, label);
    const place = places.get(entry);
    const index = place === undefined ? -1 : rows.findIndex((row) => rowId(row) === place.rowId);
    return place === undefined || index < 0 ? null : { ...place, entry, index };
  });
  useLayoutEffect(() => {
    if (back === null) return undefined;
    const scroll = (): void => {
      const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      window.scrollTo({ top: top + back.index * rowPx - back.topPx });
    };
    scroll();
    // Where it is drawn the router scrolls to the pixels where one was, which may be another row's.
    const stop = router.subscribe('onRendered', () => {
      if (entryOf(router, label) === back.entry) scroll();
      stop();
    });
    const frame = requestAnimationFrame(() => onBack(back.index));
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
    // Once, when one comes back: later the list is somebody's who reads in it.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, []);
  const keepPlace = (index: number): void => {
    const row = rows.at(index);
    const element = body.current?.querySelector(`[data-row="${index}"]`);
    if (row === undefined || !element) return;
    const entry = entryOf(router, label);
    keep(entry, { rowId: rowId(row), topPx: element.getBoundingClientRect().top });
    trail = {
      entry,
      label,
      count: rows.length,
      idAt: (at) => {
        const one = at < 0 ? undefined : rows.at(at);
        return one === undefined ? null : rowId(one);
      },
      indexOf: (id) => rows.findIndex((one) => rowId(one) === id),
    };
  };
  return { openedId: back?.rowId ?? null, keepPlace };
}
