import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Icon } from '../components/icon.js';
import { countText } from '../now/problem.js';
import { useStats } from '../now/use-looked.js';
import styles from './navigation.module.css';
import { type OpenCount, openCounts } from './open-counts.js';
import { screenGroups } from './screens.js';

function Count({ open }: { readonly open: OpenCount | undefined }): ReactNode {
  if (open === undefined) return null;
  const { count, what } = open;
  return (
    <span className={styles.count}>
      {countText(count)}
      <span className="unseen"> {what}</span>
    </span>
  );
}

/** The screens, by what one comes for, with how much is open on each. */
export function Navigation({ onGo }: { readonly onGo?: () => void }): ReactNode {
  const open = openCounts(useStats().data);
  return (
    <nav aria-label="Screens" className={styles.navigation}>
      {screenGroups.map(({ name, screens }) => (
        <div key={name}>
          <h2 className={styles.group}>{name}</h2>
          <ul>
            {screens.map(({ to, title, icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={styles.link}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  {...(onGo === undefined ? {} : { onClick: onGo })}
                >
                  <Icon name={icon} />
                  {title}
                  <Count open={open.get(to)} />
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
