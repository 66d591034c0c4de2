import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Beside those in sight, for what is scrolled to next. */
const besidesRows = 12;

interface RowWindow {
  readonly first: number;
  /** The first one that is not drawn any more. */
  readonly end: number;
}

interface RowWindowOptions {
  readonly body: RefObject<HTMLElement | null>;
  readonly count: number;
  /** All rows are as high: a long list costs hardly more than a short one. */
  readonly rowPx: number;
}

/** Which rows are in sight, wherever the page is scrolled to. */
export function useRowWindow({ body, count, rowPx }: RowWindowOptions): RowWindow {
  const [offsetPx, setOffsetPx] = useState(0);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: besidesRows,
    scrollMargin: offsetPx,
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowPx]);
  useLayoutEffect(() => {
    const look = (): void => setOffsetPx((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    look();
    // What stands above may grow or go.
    const sizes = new ResizeObserver(look);
    sizes.observe(document.body);
    return () => sizes.disconnect();
  }, [body, count]);
  const items = virtualizer.getVirtualItems();
  return { first: items[0]?.index ?? 0, end: Math.min(count, (items.at(-1)?.index ?? -1) + 1) };
}
