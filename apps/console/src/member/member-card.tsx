import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { ActionButton } from '../components/action-button.js';
import { ActionDialog } from '../components/action-dialog.js';
import { CopyButton } from '../components/copy-button.js';
import { MaskedValue } from '../components/masked-value.js';
import { shownSeconds, useUnmasked } from '../components/use-unmasked.js';
import { type CardFacts, type CardLink, type CardLinks, cardLinksOf } from './card-facts.js';
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

interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

interface AskProps {
  readonly of: MemberName;
  readonly onClose: () => void;
  readonly onDone: (links: readonly CardLink[]) => void;
}

function AskForLinks({ of, onClose, onDone }: AskProps): ReactNode {
  return (
    <ActionDialog<CardLinks>
      action="Show the addresses of the card"
      done={`The addresses of the card are shown for ${shownSeconds.toString()} s`}
      effect={{
        words: `Shows where ${of.memberId} gets the card, for ${shownSeconds.toString()} s. Whoever has such an address has the card.`,
      }}
      undo="What was seen cannot be unseen. The audit keeps who looked, and why."
      onClose={onClose}
      onDone={(answer) => onDone(cardLinksOf(answer))}
      perform={async (reason) => apiPost('/members/{program}/{memberId}/card-links', { params: of, body: { reason } })}
    />
  );
}

function LinkList({ links }: { readonly links: readonly CardLink[] }): ReactNode {
  if (links.length === 0) return <p>The partner told no address of the web.</p>;
  return (
    <ul className={styles.links} aria-label="Where the member gets the card">
      {links.map(({ name: linkName, url }) => (
        <li key={url}>
          <span>{linkName}</span> <code className={styles.url}>{url}</code>{' '}
          <CopyButton text={url} what={`the address of the ${linkName}`} />
        </li>
      ))}
    </ul>
  );
}

/** They come and stand on the screen for a minute, and only to who says why: others may look at it as well. */
function CardAddresses({ of }: { readonly of: MemberName }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const { values, secondsLeft, show, hide } = useUnmasked<readonly CardLink[]>();
  return (
    <>
      <p className={styles.about}>Whoever has the address of a card has the card: send it to the member only.</p>
      {values === null ? (
        <ActionButton needs="operator" onClick={() => setAsking(true)}>
          Show the addresses of the card
        </ActionButton>
      ) : (
        <>
          <LinkList links={values} />
          <button type="button" onClick={hide}>
            Hide them ({secondsLeft} s)
          </button>
        </>
      )}
      {isAsking ? <AskForLinks of={of} onClose={() => setAsking(false)} onDone={show} /> : null}
    </>
  );
}

/** The card as the member sees it. */
export function MemberCard({ facts }: { readonly facts: CardFacts }): ReactNode {
  const { program, memberId, name, tier, points, status, serialNumber, hasLinks, absence } = facts;
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
      {hasLinks ? <CardAddresses of={{ program, memberId }} /> : null}
    </>
  );
}
