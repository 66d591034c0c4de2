/** A desk's screen, and a small phone's. */
export const screenSizes = {
  desktop: { viewport: { width: 1_280, height: 800 } },
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
} as const;
