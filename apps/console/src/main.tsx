import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

const root = document.getElementById('console');
if (root !== null) createRoot(root).render(<StrictMode>loyaltyd</StrictMode>);
