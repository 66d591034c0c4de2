import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';

import { screenGroups } from './screens.js';

/** So long a `g` waits for the letter of a screen. */
const sequenceMs = 1_200;
const screenByKey = new Map(screenGroups.flatMap(({ screens }) => screens.map(({ key, to }) => [key, to] as const)));

interface Keys {
  /** What a key has opened may still be on its way: meant for it, a `g` goes nowhere. */
  readonly isOpening: boolean;
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
/** Behind a dialog nothing moves. */
const isInDialog = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;

/** Ctrl-K, `/` and `?`, and `g` with the letter of a screen. */
export function useKeys({ isOpening, onPalette, onHelp }: Keys): void {
  const navigate = useNavigate();
  const beganAtMs = useRef(-Infinity);
  // As soon as the frame is seen: an effect would come a moment after it, later where the browser is busy.
  useLayoutEffect(() => {
    const goTo = (key: string): void => {
      const to = screenByKey.get(key);
      if (to !== undefined) void navigate({ to });
    };
    const onPlainKey = (event: KeyboardEvent): void => {
      const isSecond = performance.now() - beganAtMs.current < sequenceMs;
      beganAtMs.current = event.key === 'g' && !isSecond ? performance.now() : -Infinity;
      if (isSecond) goTo(event.key);
      else if (event.key === '?') onHelp();
      else if (event.key === '/') {
        event.preventDefault();
        onPalette();
      }
    };
    const onKey = (event: KeyboardEvent): void => {
      if (isOpening || isInDialog()) return;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (!isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) onPlainKey(event);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [navigate, isOpening, onPalette, onHelp]);
}
