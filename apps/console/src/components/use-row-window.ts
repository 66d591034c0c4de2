import { type RefObject, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** Beside those in sight, for what is scrolled to next. */
const besidesRows = 12;
/** It moves by so many at once: less is drawn anew. */
const stepRows = 4;

interface RowWindow {
  readonly first: number;
  /** The first one that is not drawn any more. */
  readonly end: number;
}

const stepsDown = (rows: number): number => Math.floor(rows / stepRows) * stepRows;

/** Rows of a fixed height: where one is need not be kept, so that a long list costs no more than a short one. */
function windowOf(topPx: number, rowPx: number, count: number): RowWindow {
  const first = stepsDown(-topPx / rowPx - besidesRows);
  const end = stepsDown((window.innerHeight - topPx) / rowPx + besidesRows + stepRows);
  return { first: Math.min(Math.max(0, first), count), end: Math.min(Math.max(0, end), count) };
}

interface RowWindowOptions {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly rowPx: number;
}

/** Which rows are in sight, wherever the page is scrolled to. */
export function useRowWindow({ body, count, rowPx }: RowWindowOptions): RowWindow {
  const [shown, setShown] = useState<RowWindow>(() => windowOf(0, rowPx, count));
  useLayoutEffect(() => {
    const look = (): void => {
      const next = windowOf(body.current?.getBoundingClientRect().top ?? 0, rowPx, count);
      setShown((before) => (before.first === next.first && before.end === next.end ? before : next));
    };
    // Before the picture that it is scrolled in: else that shows nothing for a moment.
    const onScroll = (): void => flushSync(look);
    look();
    // What stands above may grow or go.
    const sizes = new ResizeObserver(look);
    sizes.observe(document.body);
    window.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      sizes.disconnect();
      window.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', look);
    };
  }, [body, count, rowPx]);
  return { first: Math.min(shown.first, count), end: Math.min(shown.end, count) };
}
