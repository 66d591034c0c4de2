import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';

import { apiUrl } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { onAction } from '../api/stream.js';
import { CopyButton } from '../components/copy-button.js';
import { ErrorPanel } from '../components/error-panel.js';
import { type Fact, Facts } from '../components/facts.js';
import { moneyText } from '../components/money-words.js';
import { capital, operationFullName, operationName } from '../components/operation-words.js';
import { PageHeader } from '../components/page-header.js';
import { Panel } from '../components/panel.js';
import { Reading } from '../components/reading.js';
import { StatusBadge } from '../components/status-badge.js';
import { TimeText } from '../components/time-text.js';
import { useUnmasked } from '../components/use-unmasked.js';
import { CommonMessage } from '../failures/common-message.js';
import type { PartnerView } from '../member/pass-comparison.js';
import { type LookProof, proofText } from '../member/proof-words.js';
import { ListNeighbours } from '../intents/list-neighbours.js';
import { commandsOf } from './commands.js';
import { isInDoubt } from './actions.js';
import { IntentActions } from './intent-actions.js';
import styles from './intent-screen.module.css';
import { type Intent, codeText } from './intent-words.js';
import { NextPanel, useSeconds } from './next-panel.js';
import { Timeline } from './timeline.js';
import { type Unmasked, withUnmasked } from './unmasked.js';
import { pauseOf, type Surroundings, whatNext } from './what-next.js';

const openEveryMs = 2_000;
const settledEveryMs = 30_000;
const laneEveryMs = 5_000;

const isSettled = ({ status }: Intent): boolean => status === 'delivered' || status === 'cancelled';
/** Where its turn decides when it is sent. */
const isQueued = ({ status }: Intent): boolean => status === 'pending';
/** Where a pause keeps it from being sent, or evidence of it from being looked for. */
const isPausable = ({ status }: Intent): boolean => status === 'pending' || status === 'unknown';

/** Its member's queue and what is paused, while that matters. */
function useSurroundings(intent: Intent): Surroundings {
  const { program, memberId } = intent;
  const enabled = isQueued(intent);
  const member = useQuery({
    ...apiQuery('/members/{program}/{memberId}', { params: { program, memberId } }),
    enabled,
    refetchInterval: laneEveryMs,
  });
  const pauses = useQuery({ ...apiQuery('/pauses', {}), enabled: isPausable(intent) });
  // The stream of what changes keeps it new.
  const stats = useQuery({ ...apiQuery('/stats', {}), enabled });
  const isPartnerAway = stats.data?.partner.some((one) => one.program === program && one.breaker !== 'closed') ?? false;
  return { lane: member.data?.lane ?? null, pauses: pauses.data?.items ?? [], isPartnerAway };
}

function MemberLink({ intent }: { readonly intent: Intent }): ReactNode {
  const { program, memberId } = intent;
  return (
    <Link to="/members/$program/$memberId" params={{ program, memberId }}>
      {memberId}
    </Link>
  );
}

/** A fact, unless there is nothing to tell. */
const fact = (name: string, of: string | null, value: ReactNode = of): readonly Fact[] =>
  of === null ? [] : [{ name, value }];

function factsOf(intent: Intent): readonly Fact[] {
  const { program, operation, amount, purchaseId, storeId, source, reason, code, fingerprint, since, traceId } = intent;
  const isCorrected = intent.events.some(({ type }) => type === 'IntentCorrected');
  const purchase = (
    <Link to="/intents" search={{ purchaseId: purchaseId ?? '' }}>
      {purchaseId}
    </Link>
  );
  const alike = (
    <Link to="/intents" search={{ status: intent.status, fingerprint: fingerprint ?? '' }}>
      Others with the same refusal
    </Link>
  );
  const says = <CommonMessage program={program} fingerprint={fingerprint} />;
  return [
    { name: 'Member', value: <MemberLink intent={intent} /> },
    { name: 'Program', value: program },
    { name: 'Operation', value: operationFullName(operation, 1) },
    ...fact(isCorrected ? 'Amount as recorded' : 'Amount', amount === null ? null : moneyText(amount)),
    ...fact('Purchase', purchaseId, purchase),
    ...fact('Store', storeId),
    ...fact('Source', source),
    ...fact('Reason', reason),
    ...fact('Last code', code === reason ? null : codeText(code)),
    ...fact('Partner says', intent.status === 'parked' ? fingerprint : null, says),
    ...fact('Alike', fingerprint, alike),
    ...fact('In this state since', since, <TimeText at={since} isLong />),
    { name: 'Recorded', value: <TimeText at={intent.recordedAt} isLong /> },
    ...fact('Trace', traceId),
  ];
}

interface CommandsProps {
  readonly commands: readonly { readonly name: string; readonly text: string }[];
}

function Commands({ commands }: CommandsProps): ReactNode {
  return (
    <ul className={styles.commands}>
      {commands.map(({ name, text }) => (
        <li key={name} className={styles.command}>
          <span className={styles.commandName}>{name}</span>
          <CopyButton text={text} what={name} />
          <code className={styles.commandText}>{text}</code>
        </li>
      ))}
    </ul>
  );
}

/** To read it by curl and by the command line; actions come after them. */
const readingCommands = 2;

/** The same elsewhere: the address of this page, and how to ask from a terminal. */
function Elsewhere({ intent }: { readonly intent: Intent }): ReactNode {
  const link = new URL(`intents/${encodeURIComponent(intent.id)}`, document.baseURI).href;
  const commands = commandsOf(intent, apiUrl('/intents/{id}', { params: { id: intent.id } }).href);
  const actions = commands.slice(readingCommands);
  return (
    <Panel title="Copy">
      <Commands commands={[{ name: 'Link to this page', text: link }, ...commands.slice(0, readingCommands)]} />
      {actions.length === 0 ? null : (
        <details>
          <summary className={styles.actionsSummary}>Actions, by the command line</summary>
          <Commands commands={actions} />
        </details>
      )}
    </Panel>
  );
}

function titleOf({ operation, amount, purchaseId, memberId }: Intent): string {
  const parts = [purchaseId, amount === null ? null : moneyText(amount).replaceAll(' ', '\u00a0')].filter(
    (part) => part !== null,
  );
  return `${capital(operationName(operation, 1))} ${parts.length === 0 ? `for ${memberId}` : parts.join(', ')}`;
}

/** What the partner has answered just now about what is in doubt. */
function Proof({ proof, at }: { readonly proof: LookProof; readonly at: string }): ReactNode {
  const { tone, title, words } = proofText(proof);
  return (
    <section className={styles.next} data-tone={tone} aria-label="What the partner says" role="status">
      <p className={styles.nextTitle}>{title}</p>
      <p>{words}</p>
      <p className={styles.quiet}>
        Asked <TimeText at={at} />. The member’s page shows all that the partner has.
      </p>
    </section>
  );
}

/** Of this very intent, as long as it is in doubt. */
function proofIn(answer: PartnerView | null, intent: Intent): LookProof | null {
  if (answer === null || !isInDoubt(intent)) return null;
  return answer.ours.open.find((one) => one.intent === intent.id)?.proof ?? null;
}

function Story({ read }: { readonly read: Intent }): ReactNode {
  const { values: unmasked, show } = useUnmasked<Unmasked>();
  const intent = withUnmasked(read, unmasked);
  const surroundings = useSurroundings(intent);
  const [answer, setAnswer] = useState<PartnerView | null>(null);
  const proof = proofIn(answer, intent);
  const nowMs = useSeconds(!isSettled(intent));
  const next = whatNext(intent, surroundings, nowMs);
  return (
    <>
      <ListNeighbours id={intent.id} />
      <PageHeader
        title={titleOf(intent)}
        badge={<StatusBadge status={intent.status} />}
        about={
          <>
            <code>{intent.id}</code> <CopyButton text={intent.id} what="the id" />
          </>
        }
      >
        <IntentActions
          intent={intent}
          proven={proof?.verdict ?? null}
          onAnswer={setAnswer}
          unmasked={unmasked}
          onUnmasked={show}
        />
      </PageHeader>
      {unmasked === null ? null : (
        <p className={styles.unmasked} role="status">
          What is personal is shown for a minute, or until you leave this page. The audit keeps that you saw it.
        </p>
      )}
      <NextPanel intent={intent} next={next} nowMs={nowMs} />
      {proof === null || answer === null ? null : <Proof proof={proof} at={answer.at} />}
      <div className={styles.columns}>
        <Panel title="Story">
          <Timeline intent={intent} nextTitle={next.title} isPaused={pauseOf(intent, surroundings) !== undefined} />
        </Panel>
        <div>
          <Panel title="Facts">
            <Facts items={factsOf(intent)} />
          </Panel>
          <Elsewhere intent={intent} />
        </div>
      </div>
    </>
  );
}

/** One intent: what happened to it, what comes next, and what a person can do. */
export function IntentScreen(): ReactNode {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  const client = useQueryClient();
  const options = apiQuery('/intents/{id}', { params: { id } });
  const { data, error, refetch } = useQuery({
    ...options,
    refetchInterval: ({ state }) => (state.data === undefined || isSettled(state.data) ? settledEveryMs : openEveryMs),
  });
  useEffect(
    // Somebody may just have acted on it, here or elsewhere.
    () => onAction(() => void client.invalidateQueries({ queryKey: ['/intents/{id}'] })),
    [client],
  );
  if (data !== undefined) return <Story key={data.id} read={data} />;
  return (
    <>
      <PageHeader title="Intent" about={<code>{id}</code>} />
      {error === null ? <Reading /> : <ErrorPanel error={error} onRetry={() => void refetch()} />}
    </>
  );
}
