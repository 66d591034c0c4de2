import * as Dialog from '@radix-ui/react-dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { Icon } from '../components/icon.js';
import { Modal } from '../components/modal.js';
import { OptionList, stepOf } from '../components/option-list.js';
import { signOut } from '../session/shared-session.js';
import styles from './palette.module.css';
import { fixedEntries, foundEntries, type PaletteEntry, type PaletteTarget } from './palette-entries.js';
import { changePreferences, usePreferences } from './preferences.js';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** So long nothing is typed before the daemon is asked. */
const pauseMs = 150;
const foundMax = 6;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** All of them are of the very text that stands there: Enter must not go where an earlier one led. */
function useEntries(text: string): { readonly entries: readonly PaletteEntry[]; readonly isSearching: boolean } {
  const q = text.trim();
  const isSettled = useSettled(q) === q;
  const { data, isFetching } = useQuery({
    ...apiQuery('/search', { query: { q, limit: foundMax } }),
    enabled: q !== '' && isSettled,
  });
  const found = q === '' ? [] : foundEntries(data?.groups ?? []);
  const fixed = fixedEntries(text);
  return {
    // Whoever types a word that is a screen's means that screen.
    entries: fixed.length > 0 && q !== '' ? [...fixed, ...found] : [...found, ...fixed],
    isSearching: isFetching || !isSettled,
  };
}

/** What an entry does when it is chosen. */
function useGo({ onClose, onHelp }: PaletteProps): (target: PaletteTarget) => void {
  const navigate = useNavigate();
  const { theme, timeZone } = usePreferences();
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  const go = async (target: PaletteTarget): Promise<void> => {
    switch (target.kind) {
      case 'screen':
        return navigate({ to: target.to });
      case 'intent':
        return navigate({ to: '/intents/$id', params: { id: target.id } });
      case 'member': {
        const { program, memberId } = target;
        return navigate({ to: '/members/$program/$memberId', params: { program, memberId } });
      }
      case 'purchase':
        return navigate({ to: '/intents', search: { purchaseId: target.purchaseId } });
      case 'store':
        return navigate({ to: '/intents', search: { store: target.store } });
      case 'job':
        return navigate({ to: '/jobs/$kind/$id', params: { kind: target.jobKind, id: target.id } });
      case 'record':
        return navigate({ to: '/quarantine/$id', params: { id: target.id } });
      case 'audit':
        return navigate({ to: '/audit', search: { actor: target.actor } });
      case 'new-replay':
        return navigate({ to: '/jobs/replay/new' });
      case 'pause':
        return navigate({ to: '/pauses', search: { begin: 'pause' } });
      case 'theme': {
        changePreferences({ theme: isDark ? 'light' : 'dark' });
        return;
      }
      case 'time-zone': {
        changePreferences({ timeZone: timeZone === 'utc' ? 'local' : 'utc' });
        return;
      }
      case 'help': {
        onHelp();
        return;
      }
      case 'sign-out': {
        signOut();
        return;
      }
    }
  };
  return (target) => {
    onClose();
    void go(target);
  };
}

/** Finds anything by its id or name. Nothing that it does changes anything at the daemon. */
export function Palette(props: PaletteProps): ReactNode {
  const id = useId();
  const [text, setText] = useState('');
  /** By its name: what is found meanwhile comes before it. Null: the first. */
  const [chosen, setChosen] = useState<string | null>(null);
  /** Quicker than it is found: Enter goes to the first of what comes. */
  const [awaited, setAwaited] = useState<string | null>(null);
  const { entries, isSearching } = useEntries(text);
  const go = useGo(props);
  const [first] = entries;
  useEffect(() => {
    if (awaited !== text || isSearching || first === undefined) return;
    go(first.target);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- what is found of what was typed, once
  }, [awaited, isSearching, first?.key]);
  const at = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  );
  const choose = (index: number): void => setChosen(entries[index]?.key ?? null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const entry = entries[at];
    const step = stepOf(event, at, entries.length);
    if (step !== null) choose(step);
    else if (event.key === 'Enter' && entry !== undefined) go(entry.target);
    else if (event.key === 'Enter' && isSearching) setAwaited(text);
    else return;
    event.preventDefault();
  };
  const isNothing = entries.length === 0 && text.trim() !== '';
  const found = isNothing ? `Nothing is called ${text.trim()}, or begins so` : `${entries.length} found`;
  const status = isSearching ? 'Searching' : found;
  return (
    <Modal className={styles.palette} onClose={props.onClose}>
      <Dialog.Title className="unseen">Find</Dialog.Title>
      <input
        type="text"
        role="combobox"
        className={styles.input}
        aria-label="Id of a member, purchase, card, record, job or intent, or its beginning; or the name of a screen"
        placeholder="Member, purchase, card, store, record, job; a screen"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(null);
        }}
        onKeyDown={onKeyDown}
      />
      <OptionList
        id={id}
        label="What was found"
        options={entries.map(({ key, icon, text: shown, about, group }) => ({
          key,
          content: (
            <>
              <Icon name={icon} />
              <span className={styles.text}>{shown}</span>
              <span className={styles.about}>{about ?? group.toLowerCase().replace(/s$/, '')}</span>
            </>
          ),
        }))}
        at={at}
        onChoose={(index) => {
          const entry = entries[index];
          if (entry !== undefined) go(entry.target);
        }}
        onPoint={choose}
      />
      <p role="status" className={styles.status}>
        {status}
      </p>
    </Modal>
  );
}
