/**
 * Combines reads of the same kind from the same turn of the event loop into one statement. A node that takes over
 * thousands of lanes then costs the database a handful of statements, and leaves connections for other work.
 */
interface Asked<K, V> {
  readonly key: K
  resolve(value: V): void
  reject(error: unknown): void
}

interface Bounds {
  /** Keys in one statement. */
  readonly most: number
  /** Statements in flight at one time. */
  readonly atOnce: number
}

/** `read` returns a result for each key, in key order. An Error is the result of that one key. */
export function createReadTogether<K, V>(
  read: (keys: readonly K[]) => Promise<readonly (V | Error)[]>,
  { most, atOnce }: Bounds = { most: 200, atOnce: 2 },
): (key: K) => Promise<V> {
  const waiting: Asked<K, V>[] = []
  let running = 0
  let isDue = false

  function start(): void {
    isDue = false
    while (running < atOnce && waiting.length > 0) void run(waiting.splice(0, most))
  }

  async function run(together: readonly Asked<K, V>[]): Promise<void> {
    running += 1
    try {
      const values = await read(together.map(({ key }) => key))
      if (values.length !== together.length) throw new Error('each key needs an answer')
      for (const [index, asked] of together.entries()) {
        const value = values[index] as V | Error
        if (value instanceof Error) asked.reject(value)
        else asked.resolve(value)
      }
    } catch (error) {
      for (const asked of together) asked.reject(error)
    }
    running -= 1
    start()
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isDue || running >= atOnce) return
      isDue = true
      setImmediate(start)
    })
}
