import { useEffect, useState } from 'react';

const quietMs = 350;

/**
 * What somebody types: shown at once, told to others once they stop for a moment. What others change meanwhile, such as
 * "back", counts where nothing is being typed.
 */
export function useDraft(value: string, onSettled: (text: string) => void): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      if (draft.trim() !== value) onSettled(draft.trim());
      setDraft(null);
    }, quietMs);
    return () => clearTimeout(timer);
  }, [draft, value, onSettled]);
  return [draft ?? value, setDraft];
}
