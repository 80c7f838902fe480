/** What happened, line by line, and one hash of it all: equal hashes mean equal runs. */
import { createHash } from 'node:crypto'

export interface Trace {
  /** A step of the plan, or its consequence. */
  add(line: string): void
  lines(): readonly string[]
  hash(): string
}

export function createTrace(now: () => number, isKept: boolean): Trace {
  const digest = createHash('sha256')
  const kept: string[] = []
  let batch = ''
  return {
    add(line) {
      const text = `${now().toFixed(3)} ${line}\n`
      batch += text
      if (batch.length > 4_096) {
        digest.update(batch)
        batch = ''
      }
      if (isKept) kept.push(text.trimEnd())
    },
    lines: () => kept,
    hash: () => {
      digest.update(batch)
      batch = ''
      return digest.copy().digest('hex')
    },
  }
}
