/** Opens an implementation, or throws if this machine has none. */
export type Attempt<T> = () => Promise<T>

/** The first that can be opened and passes its test; the last resort is what the others are tested against. */
export async function chooseFirst<T>(
  attempts: readonly Attempt<T>[],
  passes: (candidate: T) => boolean,
  lastResort: T,
): Promise<T> {
  for (const open of attempts) {
    try {
      const candidate = await open()
      if (passes(candidate)) return candidate
    } catch {
      // Not on this machine: no binary for it, or none that works. The next one may be; the caller says which was taken.
    }
  }
  return lastResort
}
