import { type ReactNode, useState } from 'react';

import { apiGet } from '../../api/client.js';
import { ActionFailure } from '../../components/action-failure.js';
import { useActionOnce } from '../../components/action-once.js';
import { momentOf } from '../../components/time-input.js';
import { useMe } from '../../session/session-store.js';
import { usePreferences } from '../../shell/preferences.js';
import type { ReplayFilter } from '../replay/replay-filter.js';
import { CheckField, Field, TextField } from '../work-fields.js';
import styles from '../work-form.module.css';
import { patchOf } from './many-words.js';

/** What is said of each, besides the selection; `missing`: why it cannot be planned yet. */
export interface Choice {
  readonly body: Readonly<Record<string, unknown>>;
  readonly missing: string | null;
}

interface ChoiceProps {
  readonly filter: ReplayFilter;
  readonly onChange: (choice: Choice) => void;
}

function Select({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export const firstChoices = {
  resolve: { body: {}, missing: 'Say what became of them.' },
  correct: { body: {}, missing: 'Say what is to change.' },
  cancel: { body: { notDelivered: false }, missing: null },
  settle: { body: {}, missing: 'Give the list of what they have.' },
  ask: { body: {}, missing: null },
  resubmit: { body: {}, missing: null },
  discard: { body: {}, missing: null },
} satisfies Readonly<Record<string, Choice>>;

export function ResolveChoice({ onChange }: ChoiceProps): ReactNode {
  const [as, setAs] = useState('');
  const options = [
    ['', 'Choose one'],
    ['delivered', 'delivered: the partner has them'],
    ['not-delivered', 'not delivered: they are sent again'],
  ] as const;
  return (
    <Select
      label="What became of them"
      value={as}
      options={options}
      onChange={(value) => {
        setAs(value);
        onChange(value === '' ? firstChoices.resolve : { body: { as: value }, missing: null });
      }}
    />
  );
}

export function CancelChoice({ onChange }: ChoiceProps): ReactNode {
  const [notDelivered, setNotDelivered] = useState(false);
  return (
    <CheckField
      label="Also what may have taken effect: I have looked, and the partner does not have it"
      value={notDelivered}
      onChange={(value) => {
        setNotDelivered(value);
        onChange({ body: { notDelivered: value }, missing: null });
      }}
    />
  );
}

interface Change {
  /** `as-it-is`, `text`, `number` or `patch`. */
  readonly how: string;
  readonly path: string;
  readonly patch: string;
}

function changeOf({ how, path, patch }: Change): Choice {
  if (how === 'as-it-is') return firstChoices.resubmit;
  if (how !== 'patch') {
    const missing = path.trim() === '' ? firstChoices.correct.missing : null;
    return { body: { sendAs: { path: path.trim(), as: how } }, missing };
  }
  const parsed = patchOf(patch);
  return parsed === null
    ? { body: {}, missing: 'The patch is no JSON object.' }
    : { body: { patch: parsed }, missing: null };
}

interface ChangeFieldsProps {
  readonly chosen: Change;
  readonly onChange: (change: Partial<Change>) => void;
  readonly options: readonly (readonly [string, string])[];
  /** What a patch, and a path, may look like. */
  readonly examples: { readonly patch: string; readonly path: string };
}

/** How all are changed alike. */
function ChangeFields({ chosen, onChange, options, examples }: ChangeFieldsProps): ReactNode {
  return (
    <>
      <Select label="How" value={chosen.how} options={options} onChange={(how) => onChange({ how })} />
      {chosen.how === 'patch' ? (
        <Field label="Patch" about={`The same for all, such as ${examples.patch}. It is kept: nothing personal.`}>
          {(id, aboutId) => (
            <textarea
              id={id}
              rows={5}
              spellCheck={false}
              value={chosen.patch}
              aria-describedby={aboutId}
              onChange={(event) => onChange({ patch: event.target.value })}
            />
          )}
        </Field>
      ) : null}
      {chosen.how === 'text' || chosen.how === 'number' ? (
        <TextField label="Field" about={examples.path} value={chosen.path} onChange={(path) => onChange({ path })} />
      ) : null}
    </>
  );
}

const noChange = { path: '', patch: '' };

const recordExamples = {
  patch: '{"data": {"storeId": "berlin-07"}}',
  path: 'Such as data.total.minor: as it stands in the value of a record.',
};

export function ResubmitChoice({ onChange }: ChoiceProps): ReactNode {
  const [chosen, setChosen] = useState<Change>({ how: 'as-it-is', ...noChange });
  const options = [
    ['as-it-is', 'as they arrived'],
    ['number', 'take a field as a number'],
    ['text', 'take a field as text'],
    ['patch', 'a JSON merge patch'],
  ] as const;
  return (
    <ChangeFields
      {...{ chosen, options }}
      examples={recordExamples}
      onChange={(change) => {
        const next = { ...chosen, ...change };
        setChosen(next);
        onChange(changeOf(next));
      }}
    />
  );
}

/** Nothing is to be said of them. */
export const NoChoice = (): ReactNode => null;

const commandExamples = {
  patch: '{"attributes": {"shop": null}}',
  path: 'Such as attributes.campaign: as it stands in the request of an example.',
};

export function CorrectChoice({ onChange }: ChoiceProps): ReactNode {
  const [chosen, setChosen] = useState({ how: 'text', ...noChange, replay: true });
  const choose = (change: Partial<typeof chosen>): void => {
    const next = { ...chosen, ...change };
    setChosen(next);
    const { body, missing } = changeOf(next);
    onChange({ body: { ...body, replay: next.replay }, missing });
  };
  const options = [
    ['text', 'send a field as text'],
    ['number', 'send a field as a number'],
    ['patch', 'a JSON merge patch'],
  ] as const;
  return (
    <>
      <ChangeFields {...{ chosen, options }} examples={commandExamples} onChange={choose} />
      <CheckField label="And replay each at once" value={chosen.replay} onChange={(replay) => choose({ replay })} />
    </>
  );
}

function save(name: string, text: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** What is in doubt, for the partner. */
function Downloads({ filter }: { readonly filter: ReplayFilter }): ReactNode {
  const [format, setFormat] = useState<'csv' | 'jsonl'>('csv');
  const { ask, error, isPending } = useActionOnce({
    perform: async () => apiGet('/intents/in-doubt', { query: filter as Readonly<Record<string, string>> }),
    onDone: ({ csv, items }) => {
      if (format === 'csv') save('in-doubt.csv', csv, 'text/csv');
      else save('in-doubt.jsonl', items.map((item) => `${JSON.stringify(item)}\n`).join(''), 'application/jsonl');
    },
  });
  const options = [
    ['csv', 'CSV'],
    ['jsonl', 'JSON lines'],
  ] as const;
  return (
    <>
      <Select
        label="For the partner"
        value={format}
        options={options}
        onChange={(value) => setFormat(value === 'jsonl' ? 'jsonl' : 'csv')}
      />
      <div>
        <button type="button" disabled={isPending} onClick={() => ask()}>
          Download what is in doubt
        </button>
      </div>
      {error === null ? null : <ActionFailure error={error} />}
    </>
  );
}

interface Listed {
  readonly list: string;
  readonly isWhole: boolean;
  readonly from: string;
  readonly to: string;
  readonly types: string;
}

/** As the daemon takes it. */
const listCharsMax = 3_000_000;

function whyNotListed({ list, isWhole, ...whole }: Listed, times: readonly (string | null)[]): string | null {
  if (list.trim() === '') return firstChoices.settle.missing;
  if (list.length > listCharsMax) return 'The list is too long: narrow it down.';
  if (!isWhole) return null;
  return times.includes(null) || whole.types.trim() === '' ? 'Say of what time and types the list has all.' : null;
}

export function SettleChoice({ filter, onChange }: ChoiceProps): ReactNode {
  const { role } = useMe();
  const { timeZone } = usePreferences();
  const [said, setSaid] = useState<Listed>({ list: '', isWhole: false, from: '', to: '', types: '' });
  const choose = (change: Partial<Listed>): void => {
    const next = { ...said, ...change };
    setSaid(next);
    const [from, to] = [momentOf(next.from, timeZone), momentOf(next.to, timeZone)];
    const types = next.types.split(',').map((type) => type.trim());
    const complete = next.isWhole ? { complete: { from, to, types } } : {};
    onChange({ body: { list: next.list, ...complete }, missing: whyNotListed(next, [from, to]) });
  };
  return (
    <>
      <Downloads filter={filter} />
      <Field
        label="What they have"
        about="CSV with a head or JSON lines: intent, or receipt, type and amount, or member and reward; only rows of what they have."
      >
        {(id, aboutId) => (
          <textarea
            id={id}
            rows={6}
            spellCheck={false}
            value={said.list}
            aria-describedby={aboutId}
            onChange={(event) => choose({ list: event.target.value })}
          />
        )}
      </Field>
      <Field label="Or a file">
        {(id) => (
          <input
            id={id}
            type="file"
            accept=".csv,.jsonl,.ndjson,.txt,text/csv"
            onChange={(event) => {
              void event.target.files?.[0]?.text().then((list) => choose({ list }));
            }}
          />
        )}
      </Field>
      {role === 'admin' ? (
        <CheckField
          label="The list has all that they took in some time: what was sent then and is not in it is not there"
          value={said.isWhole}
          onChange={(isWhole) => choose({ isWhole })}
        />
      ) : (
        <p className={styles.about}>What is not in it stays in doubt. That a list has all is for an admin to say.</p>
      )}
      {said.isWhole ? (
        <>
          <TextField label="From" type="datetime-local" value={said.from} onChange={(from) => choose({ from })} />
          <TextField label="To" type="datetime-local" value={said.to} onChange={(to) => choose({ to })} />
          <TextField
            label="Types"
            about="Transaction types and rewards by the partner’s ids, with commas between them."
            value={said.types}
            onChange={(types) => choose({ types })}
          />
        </>
      ) : null}
    </>
  );
}
