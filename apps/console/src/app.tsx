import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';

import { queryClient } from './api/queries.js';
import { router } from './router.js';
import { OpeningScreen } from './session/opening-screen.js';
import { useSession } from './session/session-store.js';
import { part } from './shell/parts.js';

const LoginScreen = lazy(
  part(async () => import('./session/login-screen.js').then((file) => ({ default: file.LoginScreen }))),
);

/** Whoever is signed in sees the screens, everybody else where to sign in. */
export function App(): ReactNode {
  const session = useSession();
  if (session.status === 'opening') return <OpeningScreen waitsFor={session.waitsFor} />;
  if (session.status === 'closed') {
    return (
      <Suspense fallback={<OpeningScreen waitsFor="page" />}>
        <LoginScreen because={session.because} mayRetry={session.mayRetry} />
      </Suspense>
    );
  }
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
