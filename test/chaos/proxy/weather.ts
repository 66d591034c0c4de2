/** What a proxy does to everything that passes, both ways. */
export interface Weather {
  readonly latencyMs: number;
  /** Up to so much more, different for each piece; the order stays. */
  readonly jitterMs: number;
  /** Chance of each piece that it and all behind it wait, as TCP makes them wait after a lost segment. */
  readonly lossChance: number;
  readonly retransmitMs: number;
  /** Pieces of at most so many bytes, one a millisecond; null: as they come. */
  readonly sliceBytes: number | null;
  /** Connections stand, new ones too, and nothing comes through ever: what was swallowed is lost. */
  readonly isBlackHole: boolean;
  /** New connections are reset. */
  readonly isRefusing: boolean;
}

export const fairWeather: Weather = {
  latencyMs: 0,
  jitterMs: 0,
  lossChance: 0,
  retransmitMs: 0,
  sliceBytes: null,
  isBlackHole: false,
  isRefusing: false,
};
