/** What has been opened so far. If the rest cannot be opened, all of it is closed, so that a failed start leaves nothing behind. */
export interface OpenedParts {
  /** `close` runs at once if the start has failed meanwhile. */
  add(close: () => Promise<unknown>): void
}

export async function closeOnFailure<T>(open: (opened: OpenedParts) => Promise<T>): Promise<T> {
  const closes: (() => Promise<unknown>)[] = []
  let hasFailed = false
  try {
    // A part that opens after the failure is closed too; its error would hide the first one.
    return await open({ add: (close) => void (hasFailed ? close().catch(() => undefined) : closes.push(close)) })
  } catch (error) {
    hasFailed = true
    // The first error says why the start failed. One more while closing would only hide it.
    await Promise.allSettled(closes.map((close) => close()))
    throw error
  }
}
