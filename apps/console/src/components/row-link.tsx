import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode } from 'react';

interface RowLinkProps {
  /** Parts of the path, not encoded: `['intents', id]`. */
  readonly path: readonly string[];
  readonly title?: string;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}

/** Below `<base>`. */
export const hrefOf = (path: readonly string[]): string => path.map(encodeURIComponent).join('/');

/**
 * A link in a row of a long list. The router's own `Link` listens to where one is, and works its address out anew: of two
 * in each row that took most of the time of scrolling.
 */
export function RowLink({ path, children, ...rest }: RowLinkProps): ReactNode {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    const isElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (isElsewhere || event.defaultPrevented) return;
    event.preventDefault();
    router.history.push(new URL(event.currentTarget.href).pathname);
  };
  return (
    // Tab goes from the list on: Enter opens a row.
    <a {...rest} href={hrefOf(path)} tabIndex={-1} onClick={follow}>
      {children}
    </a>
  );
}
