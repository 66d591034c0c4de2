import { type KeyboardEvent, type RefObject, useState } from 'react';

interface RowKeysOptions {
  readonly count: number;
  readonly body: RefObject<HTMLElement | null>;
  readonly scrollTo: (index: number) => void;
  readonly onOpen: (index: number) => void;
}

export interface RowPlace {
  /** The row that Tab comes to. */
  readonly at: number;
  readonly moveTo: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
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

/** One stop for Tab in a long list, and keys to go from row to row. */
export function useRowKeys({ count, body, scrollTo, onOpen }: RowKeysOptions): RowPlace {
  const [at, setAt] = useState(0);
  const focusRow = (index: number, triesLeft: number): void => {
    const row = body.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
    if (row) row.focus({ preventScroll: true });
    // Far away ones are made once they are scrolled to.
    else if (triesLeft > 0) requestAnimationFrame(() => focusRow(index, triesLeft - 1));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isOnRow = event.target instanceof HTMLElement && event.target.dataset.row !== undefined;
    if (!isOnRow || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = targetOf(event.key, at, count);
    if (event.key === 'Enter') {
      // Else the same press would press the first button of a dialog that it opens: to close it.
      event.preventDefault();
      onOpen(at);
    }
    if (target === null) return;
    event.preventDefault();
    scrollTo(target);
    setAt(target);
    focusRow(target, 10);
  };
  return { at: Math.min(at, Math.max(0, count - 1)), moveTo: setAt, onKeyDown };
}
