import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Icon } from '../components/icon.js';
import styles from './navigation.module.css';
import { screenGroups } from './screens.js';

/** The screens, by what one comes for. */
export function Navigation({ onGo }: { readonly onGo?: () => void }): ReactNode {
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
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
