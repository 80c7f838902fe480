/** Time and randomness for the engine: nothing else in it reads a clock or draws random numbers. */
export interface Clock {
  /** Milliseconds since the epoch by the database's clock, as well as this node can tell. */
  now(): number
  /** Never goes back and never jumps; only differences mean anything. */
  monotonic(): number
  /** Runs once after a delay; returns a function that cancels it. */
  schedule(delayMs: number, run: () => void): () => void
}

export interface Random {
  /** Time-ordered unique id (UUID version 7). */
  id(nowMs: number): string
  /** At least 0 and below 1. */
  fraction(): number
}
