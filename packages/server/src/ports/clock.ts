/** Time and chance, as the engine may have them: nothing else in it reads a clock or rolls dice. */
export interface Clock {
  /** Milliseconds since the epoch by the database's clock, as well as this node can tell. */
  now(): number
  /** Never goes back and never jumps; only differences mean anything. */
  monotonic(): number
  /** Runs once after a delay; returns what takes it back. */
  schedule(delayMs: number, run: () => void): () => void
}

export interface Random {
  /** Time-ordered unique id (UUID version 7). */
  id(nowMs: number): string
  /** At least 0 and below 1. */
  fraction(): number
}
