import * as Popover from '@radix-ui/react-popover';
import { Link } from '@tanstack/react-router';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';

import { Icon } from '../components/icon.js';
import { announce } from '../shell/announcements.js';
import type { SearchTexts } from '../shell/search-texts.js';
import styles from './intents-screen.module.css';
import { builtInViews, deleteView, isShown, nameObstacle, saveView, useSavedViews, type View } from './saved-views.js';

function SaveForm({ search, onClose }: { readonly search: SearchTexts; readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [isTried, setIsTried] = useState(false);
  const saved = useSavedViews();
  const id = useId();
  const obstacle = nameObstacle(name, saved);
  const isReplaced = saved.some((view) => view.name === name.trim());
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setIsTried(true);
    if (obstacle !== null) return;
    saveView(name, search);
    announce(`The view "${name.trim()}" is saved in this browser`);
    onClose();
  };
  return (
    <form className={styles.saveForm} onSubmit={submit}>
      <label htmlFor={id}>Name of the view</label>
      <input
        id={id}
        value={name}
        autoComplete="off"
        aria-invalid={isTried && obstacle !== null}
        aria-describedby={`${id}-about`}
        onChange={(event) => setName(event.target.value)}
      />
      <p id={`${id}-about`} className={styles.quiet}>
        {isTried && obstacle !== null
          ? obstacle
          : isReplaced
            ? 'Replaces the view of that name.'
            : 'Kept in this browser.'}
      </p>
      <button type="submit" data-kind="main">
        {isReplaced ? 'Replace the view' : 'Save the view'}
      </button>
    </form>
  );
}

function SaveView({ search }: { readonly search: SearchTexts }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger data-kind="plain">Save this view</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={styles.popover} align="start" sideOffset={4} collisionPadding={8}>
          <SaveForm search={search} onClose={() => setIsOpen(false)} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface TabProps {
  readonly view: View;
  readonly search: SearchTexts;
  readonly onDelete?: () => void;
}

function ViewTab({ view, search, onDelete }: TabProps): ReactNode {
  return (
    <li className={styles.view}>
      <Link
        to="/intents"
        search={view.search}
        className={styles.viewLink}
        aria-current={isShown(view, search) ? 'page' : undefined}
        activeOptions={{ exact: true, includeSearch: true }}
      >
        {view.name}
      </Link>
      {onDelete === undefined ? null : (
        <button
          type="button"
          data-kind="plain"
          className={styles.deleteView}
          aria-label={`Delete the view ${view.name}`}
          onClick={onDelete}
        >
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}

/** Filters under a name: those that everybody needs, and one's own. */
export function IntentViews({ search }: { readonly search: SearchTexts }): ReactNode {
  const saved = useSavedViews();
  const [deleted, setDeleted] = useState<View | null>(null);
  const isKnown = [...builtInViews, ...saved].some((view) => isShown(view, search));
  return (
    <nav aria-label="Views" className={styles.views}>
      <ul className={styles.viewList}>
        {builtInViews.map((view) => (
          <ViewTab key={view.name} view={view} search={search} />
        ))}
        {saved.map((view) => (
          <ViewTab
            key={view.name}
            view={view}
            search={search}
            onDelete={() => {
              deleteView(view.name);
              setDeleted(view);
            }}
          />
        ))}
      </ul>
      {isKnown ? null : <SaveView search={search} />}
      {deleted === null ? null : (
        <p role="status" className={styles.quiet}>
          The view "{deleted.name}" is deleted.{' '}
          <button
            type="button"
            data-kind="plain"
            onClick={() => {
              saveView(deleted.name, deleted.search);
              setDeleted(null);
            }}
          >
            Undo
          </button>
        </p>
      )}
    </nav>
  );
}
