import { type ReactNode } from 'react';

import { CopyButton } from '../components/copy-button.js';
import { MaskedValue } from '../components/masked-value.js';
import { useUnmasked } from '../components/use-unmasked.js';
import type { CardFacts } from './card-facts.js';
import styles from './member.module.css';

function Fact({
  name,
  value,
  none,
}: {
  readonly name: string;
  readonly value: string | null;
  readonly none: string;
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value === null ? <span className={styles.cardNone}>{none}</span> : <MaskedValue text={value} />}</dd>
    </div>
  );
}

/** They stand on the screen for a minute, and only for who asks: others may look at it as well. */
function CardLinks({ links }: Pick<CardFacts, 'links'>): ReactNode {
  const { values, secondsLeft, show, hide } = useUnmasked<CardFacts['links']>();
  return (
    <>
      <p className={styles.about}>Whoever has the address of a card has the card: send it to the member only.</p>
      {values === null ? (
        <button type="button" onClick={() => show(links)}>
          Show the addresses of the card
        </button>
      ) : (
        <>
          <ul className={styles.links} aria-label="Where the member gets the card">
            {links.map(({ name: linkName, url }) => (
              <li key={url}>
                <span>{linkName}</span> <code className={styles.url}>{url}</code>{' '}
                <CopyButton text={url} what={`the address of the ${linkName}`} />
              </li>
            ))}
          </ul>
          <button type="button" onClick={hide}>
            Hide them ({secondsLeft} s)
          </button>
        </>
      )}
    </>
  );
}

/** The card as the member sees it. */
export function MemberCard({ facts }: { readonly facts: CardFacts }): ReactNode {
  const { program, memberId, name, tier, points, status, serialNumber, links, absence } = facts;
  return (
    <>
      <figure className={styles.card} data-absent={absence !== null} aria-label="The card as the member sees it">
        <p className={styles.cardHead}>
          <strong>{program}</strong>
          <span>{status ?? ''}</span>
        </p>
        <p className={styles.cardPoints}>
          {points === null ? null : `${points} `}
          <span className={styles.cardUnit}>{points === null ? 'points not known' : 'points'}</span>
        </p>
        <dl className={styles.cardFacts}>
          <Fact name="Member" value={name ?? memberId} none="" />
          <Fact name="Tier" value={tier} none="not known" />
          <Fact name="Card" value={serialNumber} none="not known" />
        </dl>
      </figure>
      {absence === null ? null : <p>{absence}</p>}
      {points === null && absence === null ? (
        <p className={styles.about}>Points and tier are the partner’s: ask it to see them.</p>
      ) : null}
      {links.length === 0 ? null : <CardLinks links={links} />}
    </>
  );
}
