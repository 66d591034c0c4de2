import './tokens.css';
import './base.css';

import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app.js';
import { resumeSession, watchForLinks } from './session/open-session.js';
import { listenToOtherTabs } from './session/shared-session.js';

// Radix adds a style element while a dialog is open; the page's policy takes only those with its nonce.
setNonce(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '');

watchForLinks();
listenToOtherTabs();
void resumeSession();
const root = document.getElementById('console');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
