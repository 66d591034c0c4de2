import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionButton } from '../components/action-button.js';
import { ActionDialog } from '../components/action-dialog.js';
import { ErrorPanel } from '../components/error-panel.js';
import { mixedScriptsWords } from '../components/mixed-scripts.js';
import { PageHeader } from '../components/page-header.js';
import { Panel } from '../components/panel.js';
import { Reading } from '../components/reading.js';
import { TimeText } from '../components/time-text.js';
import { shownSeconds, useUnmasked } from '../components/use-unmasked.js';
import { EraseDialog } from '../work/erase-dialog.js';
import { ExportMemberDialog } from '../work/export-member-dialog.js';
import { AskPartner } from './ask-partner.js';
import { cardFacts, unmaskedName } from './card-facts.js';
import { lanePicture, type Member } from './lane-picture.js';
import { LaneQueue } from './lane-queue.js';
import { MemberCard } from './member-card.js';
import { MemberIntents } from './member-intents.js';
import styles from './member.module.css';
import { NotAskedYet, PartnerComparison } from './partner-comparison.js';
import type { PartnerView } from './pass-comparison.js';
import { SetAsidePanel } from './set-aside.js';
import { type UnmaskedMember, UnmaskedPanel } from './unmasked-panel.js';

/** While something is queued; nothing tells this screen that it moved. */
const movingMs = 5_000;

interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

interface DialogProps<T> {
  readonly of: MemberName;
  readonly onClose: () => void;
  readonly onDone: (answer: T) => void;
}

function Unmask({ of, onClose, onDone }: DialogProps<UnmaskedMember>): ReactNode {
  return (
    <ActionDialog<UnmaskedMember>
      action="Unmask this member"
      done={`Unmasked for ${shownSeconds.toString()} s`}
      effect={{
        words: `Shows everything personal in the newest 20 intents of ${of.memberId}, for ${shownSeconds.toString()} s.`,
        members: 1,
      }}
      undo="What was seen cannot be unseen. The audit keeps who looked, and why."
      isDangerous
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/members/{program}/{memberId}/unmask', { params: of, body: { reason } })}
    />
  );
}

function About({ member }: { readonly member: Member }): ReactNode {
  return (
    <>
      {member.program}, since <TimeText at={member.createdAt} />
      {member.generation > 1 ? `, enrolled for the ${member.generation.toLocaleString('en')}. time` : ''}
      {member.isErased ? ', erased' : ''}
      {member.mixedScripts ? `, ${mixedScriptsWords}` : ''}
    </>
  );
}

interface ShownMember {
  readonly member: Member;
  readonly readAtMs: number;
}

function MemberShown({ member, readAtMs }: ShownMember): ReactNode {
  const [dialog, setDialog] = useState<'partner' | 'unmask' | 'export' | 'erase' | null>(null);
  const [answer, setAnswer] = useState<PartnerView | null>(null);
  const unmasked = useUnmasked<UnmaskedMember>();
  const { program, memberId } = member;
  const name = { program, memberId };
  const close = (): void => setDialog(null);
  const personName = unmasked.values === null ? null : unmaskedName(unmasked.values.intents);
  return (
    <>
      <PageHeader title={`Member ${memberId}`} about={<About member={member} />}>
        <ActionButton needs="operator" onClick={() => setDialog('partner')}>
          Ask the partner
        </ActionButton>
        <ActionButton
          needs="admin"
          obstacle={member.isErased ? 'The person was erased: there is nothing to see.' : null}
          onClick={() => setDialog('unmask')}
        >
          Unmask
        </ActionButton>
        <ActionButton needs="operator" onClick={() => setDialog('export')}>
          Export
        </ActionButton>
        <ActionButton
          needs="admin"
          obstacle={member.isErased ? 'The person is erased already.' : null}
          onClick={() => setDialog('erase')}
        >
          Erase
        </ActionButton>
      </PageHeader>
      {unmasked.values === null ? null : (
        <UnmaskedPanel member={unmasked.values} secondsLeft={unmasked.secondsLeft} onHide={unmasked.hide} />
      )}
      <Panel title="Queue">
        <LaneQueue picture={lanePicture(member, readAtMs)} />
      </Panel>
      <SetAsidePanel of={member.setAside} memberId={memberId} />
      <div className={styles.pass}>
        <Panel title="Card">
          <MemberCard facts={cardFacts(member, answer, personName)} />
        </Panel>
        <Panel title="Ours and the partner’s">
          {answer === null ? (
            <NotAskedYet pass={member.pass}>
              <ActionButton needs="operator" onClick={() => setDialog('partner')}>
                Ask
              </ActionButton>
            </NotAskedYet>
          ) : (
            <PartnerComparison view={answer} />
          )}
        </Panel>
      </div>
      <section aria-label="Newest intents">
        <div className={styles.head}>
          <h2>Newest intents</h2>
          <Link to="/intents" search={{ program, memberId }}>
            All of this member
          </Link>
        </div>
        <MemberIntents intents={member.intents} readAtMs={readAtMs} />
      </section>
      {dialog === 'partner' ? <AskPartner of={name} onClose={close} onDone={setAnswer} /> : null}
      {dialog === 'export' ? <ExportMemberDialog of={name} onClose={close} /> : null}
      {dialog === 'erase' ? <EraseDialog of={name} onClose={close} /> : null}
      {dialog === 'unmask' ? <Unmask of={name} onClose={close} onDone={unmasked.show} /> : null}
    </>
  );
}

export function MemberScreen(): ReactNode {
  const params: Partial<MemberName> = useParams({ strict: false });
  const { program = '', memberId = '' } = params;
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    ...apiQuery('/members/{program}/{memberId}', { params: { program, memberId } }),
    refetchInterval: ({ state }) => ((state.data?.lane.queued ?? 0) > 0 ? movingMs : false),
  });
  if (data !== undefined) {
    // Another member's answers and dialogs are gone with it.
    return <MemberShown key={`${program}~${memberId}`} member={data} readAtMs={dataUpdatedAt} />;
  }
  return (
    <>
      <PageHeader title={`Member ${memberId}`} />
      {error === null ? <Reading /> : <ErrorPanel error={error} onRetry={() => void refetch()} />}
    </>
  );
}
