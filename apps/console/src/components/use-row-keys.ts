import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';

interface RowKeysOptions {
  readonly count: number;
  readonly body: RefObject<HTMLElement | null>;
  /** Of one that is not drawn: to about where it will be. */
  readonly scrollTo: (index: number) => void;
  readonly onOpen: (index: number) => void;
}

export interface RowPlace {
  /** The row that Tab comes to. */
  readonly at: number;
  readonly moveTo: (index: number) => void;
  /** Gives a row the focus that is drawn, or will be at once. */
  readonly focus: (index: number) => void;
  readonly onKeyDown: (event: ReactKeyboardEvent) => void;
}

const pageRows = 15;

function targetOf(key: string, at: number, count: number): number | null {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: at + pageRows,
    PageUp: at - pageRows,
    Home: 0,
    End: count - 1,
  };
  const target = targets[key];
  return target === undefined ? null : Math.max(0, Math.min(target, count - 1));
}

const hasModifier = (event: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>): boolean =>
  event.ctrlKey || event.metaKey || event.altKey;

/** What has keys of its own: fields, menus, dialogs; and with arrows everything that has the focus. */
const takesKeys = 'input, textarea, select, [contenteditable], [role="menu"], [role="dialog"], [role="listbox"]';
const isOfNobody = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof HTMLElement && target.id === 'main');
/** Behind a dialog nothing moves. */
const isInDialog = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
/** A `g` waits so long for the letter of a screen, which may be `j` (`use-keys.ts`). */
const sequenceMs = 1_200;

function isForRows(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || hasModifier(event) || isInDialog()) return false;
  if (event.key === 'j' || event.key === 'k') {
    return !(event.target instanceof Element && event.target.closest(takesKeys) !== null);
  }
  return event.key === 'ArrowDown' && isOfNobody(event.target);
}

/** j, k, and the arrow where nothing has the focus, lead into the first list of a screen. */
function useKeysFromElsewhere(body: RefObject<HTMLElement | null>, enter: () => void): void {
  const latest = useRef(enter);
  useEffect(() => {
    latest.current = enter;
  });
  useEffect(() => {
    let wentAtMs = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      const isSecond = event.timeStamp - wentAtMs < sequenceMs;
      wentAtMs = event.key === 'g' && !isSecond ? event.timeStamp : -Infinity;
      const isWithin = event.target instanceof Element && body.current?.contains(event.target) === true;
      if (isSecond || isWithin || !isForRows(event)) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [body]);
}

/** One stop for Tab in a long list, and keys to go from row to row. */
export function useRowKeys({ count, body, scrollTo, onOpen }: RowKeysOptions): RowPlace {
  const [at, setAt] = useState(0);
  const focusRow = (index: number, triesLeft: number): void => {
    const row = body.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
    if (row) {
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: 'nearest' });
    }
    // Far away ones are made once they are scrolled to.
    else if (triesLeft > 0) requestAnimationFrame(() => focusRow(index, triesLeft - 1));
  };
  const focus = (index: number): void => {
    setAt(index);
    focusRow(index, 10);
  };
  const goTo = (index: number): void => {
    if (!body.current?.querySelector(`[data-row="${index}"]`)) scrollTo(index);
    focus(index);
  };
  /** To the row where one was, unless it is out of sight: then to the first that is in sight. */
  const enter = (): void => {
    if (count === 0) return;
    const rows = [...(body.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const inSight = rows.filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= Number.parseFloat(getComputedStyle(row).scrollMarginTop) && bottom <= window.innerHeight;
    });
    const indexes = inSight.map(({ dataset }) => Number(dataset.row));
    goTo(indexes.includes(at) ? at : (indexes[0] ?? Math.min(at, count - 1)));
  };
  useKeysFromElsewhere(body, enter);
  const onKeyDown = (event: ReactKeyboardEvent): void => {
    const isOnRow = event.target instanceof HTMLElement && event.target.dataset.row !== undefined;
    if (!isOnRow || hasModifier(event)) return;
    const target = targetOf(event.key, at, count);
    if (event.key === 'Enter') {
      // Else the same press would press the first button of a dialog that it opens: to close it.
      event.preventDefault();
      onOpen(at);
    }
    if (target === null) return;
    event.preventDefault();
    goTo(target);
  };
  return { at: Math.min(at, Math.max(0, count - 1)), moveTo: setAt, focus, onKeyDown };
}
