/** Lets at most so many tasks run at a time; the rest wait in order. */
export interface Limiter {
  run<T>(task: () => Promise<T>): Promise<T>
}

export function createLimiter(max: number): Limiter {
  let running = 0
  const waiting: (() => void)[] = []

  return {
    async run(task) {
      // A finishing task hands its place over, so that a newcomer cannot slip in before those who wait.
      if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
      else running++
      try {
        return await task()
      } finally {
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
