import { type ReactNode } from 'react';

import styles from './icon.module.css';

/** Drawn with lines on a square of 16. */
const drawings = {
  audit: 'M3 2.5h7l3 3v8H3zM5.500 7h5M5.500 9.500h5M5.500 12h3',
  check: 'M3 8.500l3.500 3.500L13 4.500',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  down: 'M4 6l4 4 4-4',
  failures: 'M8 2.500l6 11H2zM8 6.500v3.500M8 11.900v.1',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.300 6.300a1.800 1.800 0 1 1 2.500 1.900c-.5.3-.8.6-.8 1.300M8 11.700v.1',
  intents: 'M2.500 4h11M2.500 8h11M2.500 12h7',
  jobs: 'M2.500 5h11v8h-11zM6 5V3h4v2M2.500 8.500h11',
  menu: 'M2.500 4h11M2.500 8h11M2.500 12h11',
  now: 'M1.500 9h3l2-6 3 10 2-4h3',
  pauses: 'M5 3v10M11 3v10',
  quarantine: 'M2.500 5.500l5.500-3 5.500 3v5L8 13.500l-5.500-3zM2.500 5.500L8 8.500l5.500-3M8 8.500v5',
  replays: 'M13 8a5 5 0 1 1-1.500-3.500M13 2v3h-3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.700 10.700L14 14',
  settings: 'M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 3v3M6 10v3',
  theme: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M8 5l4.500-1M8 8h6M8 11l4.500 1',
  time: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.500V8l2.500 1.500',
  user: 'M8 8a2.800 2.800 0 1 0 0-5.600A2.800 2.800 0 0 0 8 8zM2.500 14c.6-2.500 2.700-4 5.500-4s4.900 1.500 5.500 4',
} as const;

export type IconName = keyof typeof drawings;

/** Beside a word or within a named button: it says nothing by itself. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className={styles.icon} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
