import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { apiDelete } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionDialog, given } from '../components/action-dialog.js';
import { groupId } from '../failures/causes.js';
import { useGroups } from '../failures/use-groups.js';
import { bodyOf, untilBody, useAfterwards, useHeld } from './pause-dialogs.js';
import { useUntil } from './pause-until.js';
import { causesOf, type Pause, refusedFactors, scopeText, stillPausedBy, type WaitingFactor } from './pause-words.js';
import { CheckField } from './work-fields.js';
import styles from './work-form.module.css';

/** Leads from a pause that delivery has set to what made it do so. */
export function PauseCauses({ pause }: { readonly pause: Pause }): ReactNode {
  const { data } = useGroups();
  const { program } = pause;
  if (data === undefined || program === null) return null;
  const causes = causesOf(pause, data.items);
  const [first] = causes;
  if (first === undefined) return null;
  const intents = causes.reduce((sum, group) => sum + group.intents, 0);
  return (
    <Link to="/failures" search={causes.length === 1 ? { group: groupId(first) } : { program }}>
      See the {intents.toLocaleString('en')} that failed
    </Link>
  );
}

/** So many that were refused are offered to stay held: the first have the most refusals. */
const offeredMax = 5;

interface ButChosen {
  readonly but: readonly WaitingFactor['factor'][];
  /** What the button does; null: it resumes all of it. */
  readonly action: string | null;
  readonly fields: ReactNode;
}

const counted = (count: number): string => count.toLocaleString('en');

/** `401 of store:lisboa wait, 20 were refused: hold these` */
function offerText({ factor, waiting, refused }: WaitingFactor): string {
  return `Hold the ${counted(waiting)} of ${factor}: ${counted(refused)} were refused`;
}

function actionOf(chosen: readonly WaitingFactor[], waiting: number): string | null {
  const [only] = chosen;
  if (only === undefined) return null;
  // Two of them may have calls in common.
  return chosen.length === 1
    ? `Hold these ${counted(only.waiting)}, let the other ${counted(waiting - only.waiting)} go on`
    : 'Hold these, let the rest go on';
}

/** What of it may stay held: nothing is chosen by itself. */
function useBut({ program, operation, factor }: Pause): ButChosen {
  const query = {
    ...(program === null ? {} : { program }),
    ...(operation === null ? {} : { operation }),
    ...(factor === null ? {} : { factor }),
  };
  const { data } = useQuery({ ...apiQuery('/pauses/waiting', { query }), enabled: program !== null });
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  if (data === undefined) return { but: [], action: null, fields: null };
  const offered = refusedFactors(data).slice(0, offeredMax);
  const chosen = offered.filter((each) => ticked.has(each.factor));
  const toggle = (name: string): void =>
    setTicked((before) => new Set(before.has(name) ? [...before].filter((each) => each !== name) : [...before, name]));
  return {
    but: chosen.map((each) => each.factor),
    action: actionOf(chosen, data.waiting),
    fields:
      offered.length === 0 ? null : (
        <fieldset className={styles.fields}>
          <legend>
            {data.isPart ? 'Of the first ' : ''}
            {counted(data.waiting)} wait. The partner refused some of these lately
          </legend>
          {offered.map((each) => (
            <CheckField
              key={each.factor}
              label={offerText(each)}
              value={ticked.has(each.factor)}
              onChange={() => toggle(each.factor)}
            />
          ))}
        </fieldset>
      ),
  };
}

interface ResumeDialogProps {
  readonly pause: Pause;
  readonly pauses: readonly Pause[];
  readonly onClose: () => void;
}

/** Lets it go on, all of it or all but what stays held. */
export function ResumeDialog({ pause, pauses, onClose }: ResumeDialogProps): ReactNode {
  const onDone = useAfterwards();
  const held = useHeld(pause);
  const others = stillPausedBy(pauses, pause);
  const { but, action, fields } = useBut(pause);
  const until = useUntil();
  return (
    <ActionDialog
      action={action ?? `Resume ${scopeText(pause)}`}
      done={
        action === null ? `${scopeText(pause)} goes on.` : `${scopeText(pause)} goes on, but for ${but.join(', ')}.`
      }
      effect={{
        words: `Within a second all that waits${action === null ? '' : ' but for these'} is sent again, within the limits of the program.`,
        ...held,
      }}
      undo="It can be paused again at any time; what was sent meanwhile stays sent."
      reason={pause.automatic ? 'needed' : 'optional'}
      obstacle={action === null ? null : until.missing}
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => {
        const instead = but.length === 0 ? {} : { but, ...untilBody(until.until()) };
        return apiDelete('/pauses', { body: { ...bodyOf(pause), ...instead, ...given(reason) } });
      }}
    >
      {pause.automatic ? (
        <p className={styles.warning}>
          Delivery holds this by itself: the partner fails nearly all such calls. It tries one now and then, and resumes
          when they are served. Mend the programs file or the partner first, else some more fail before it is held
          again. It said: {pause.reason} <PauseCauses pause={pause} />
        </p>
      ) : null}
      {fields}
      {action === null ? null : <div className={styles.fields}>{until.fields}</div>}
      {others.length === 0 ? null : (
        <p>Some of it stays paused, by other pauses: {others.map(scopeText).join('; ')}.</p>
      )}
    </ActionDialog>
  );
}
