import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { DocsLink } from '../components/docs-link.js';
import { Icon, type IconName } from '../components/icon.js';
import { TimeText } from '../components/time-text.js';
import type { SearchTexts } from '../shell/search-texts.js';
import type { Health } from './health.js';
import styles from './health-banner.module.css';
import type { Severity, Problem } from './problem.js';

interface HealthBannerProps {
  readonly health: Health;
  /** The daemon does not answer: it may have changed since. */
  readonly isStale: boolean;
  readonly readAt: string;
}

type Shown = Health['state'] | 'stale';

const words: Readonly<Record<Shown, string>> = {
  well: 'Healthy',
  attention: 'Needs a person',
  broken: 'Not healthy',
  stale: 'Not known',
};

const icons: Readonly<Record<Shown, IconName>> = {
  well: 'check',
  attention: 'user',
  broken: 'failures',
  stale: 'help',
};

const severityWords: Readonly<Record<Severity, string>> = {
  broken: 'Not healthy',
  attention: 'Needs a person',
  note: 'Good to know',
};

function PlaceLink({ place }: Pick<Problem, 'place'>): ReactNode {
  if (place === null) return null;
  return (
    <Link
      to={place.to}
      params={place.params ?? {}}
      // Within this screen the rest of what was chosen stays.
      search={(before: SearchTexts) => ({ ...(place.to === '/' ? before : {}), ...place.search })}
      {...(place.hash === undefined ? {} : { hash: place.hash })}
      className={styles.link}
    >
      {place.name}
    </Link>
  );
}

/** Said to those who hear the page: once for each new state, not with every figure that moves. */
function Announced({ id, text }: { readonly id: string; readonly text: string }): ReactNode {
  const [said, setSaid] = useState({ id, text });
  if (said.id !== id) setSaid({ id, text });
  return (
    <p role="status" className="unseen">
      {said.text}
    </p>
  );
}

function Page({ page }: Pick<Problem, 'page'>): ReactNode {
  return (
    <span className={styles.page}>
      <DocsLink page={page} />
    </span>
  );
}

const othersShown = 6;

function Others({ others }: { readonly others: readonly Problem[] }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  if (others.length === 0) return null;
  const shown = isWhole ? others : others.slice(0, othersShown);
  return (
    <>
      <ul className={styles.others} aria-label="Also">
        {shown.map(({ id, severity, text, place, page }) => (
          <li key={id} className={styles.other}>
            <span className={styles.severity} data-severity={severity}>
              {severityWords[severity]}
            </span>
            <span className={styles.text}>
              {text} <Page page={page} />
            </span>
            <PlaceLink place={place} />
          </li>
        ))}
      </ul>
      {shown.length === others.length ? null : (
        <button type="button" data-kind="plain" className={styles.more} onClick={() => setWhole(true)}>
          {others.length - shown.length} more
        </button>
      )}
    </>
  );
}

/** Whether all is well, in one sentence, the worst first; then what else there is. */
export function HealthBanner({ health, isStale, readAt }: HealthBannerProps): ReactNode {
  const { state, sentence, worst, others } = health;
  const shown: Shown = isStale ? 'stale' : state;
  return (
    <section aria-label="How things stand" className={styles.banner} data-state={shown}>
      <div className={styles.head}>
        <span className={styles.sign}>
          <Icon name={icons[shown]} />
        </span>
        <div className={styles.words}>
          <p className={styles.state}>
            {words[shown]}
            {isStale ? (
              <span className={styles.stale}>
                : the daemon does not answer. <TimeText at={readAt} /> it was:
              </span>
            ) : null}
          </p>
          <p className={styles.sentence}>
            {sentence} {worst === null ? null : <Page page={worst.page} />}
          </p>
        </div>
        <PlaceLink place={worst?.place ?? null} />
      </div>
      <Others others={others} />
      <Announced id={`${shown} ${worst?.id ?? ''}`} text={`${words[shown]}: ${sentence}`} />
    </section>
  );
}
