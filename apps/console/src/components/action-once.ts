import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

import { ApiProblem } from '../api/api-problem.js';

const gatewayStatusMin = 502;

/** Whether it may have been done although it failed: no answer came, or only a part of one, or one of a proxy before the daemon. */
export const mayBeDone = (error: unknown): boolean =>
  !(error instanceof ApiProblem) || error.status === 0 || error.status >= gatewayStatusMin;

interface Once<T> {
  readonly perform: () => Promise<T>;
  readonly onDone: (answer: T) => void;
}

/**
 * Does something once, however often it is asked for until an answer is there: a second click comes before the page shows
 * that the first one is at work. After a failure somebody may ask again; then the screen shows how things stand now, for
 * they stand otherwise than it said, or it may have been done.
 */
export function useActionOnce<T>({ perform, onDone }: Once<T>): UseMutationResult<T, Error, void> & {
  readonly ask: () => void;
} {
  const client = useQueryClient();
  const isAsked = useRef(false);
  const mutation = useMutation<T>({
    mutationFn: perform,
    onSuccess: onDone,
    onError: () => {
      isAsked.current = false;
      void client.invalidateQueries();
    },
  });
  const ask = (): void => {
    if (isAsked.current) return;
    isAsked.current = true;
    mutation.mutate();
  };
  return { ...mutation, ask };
}
