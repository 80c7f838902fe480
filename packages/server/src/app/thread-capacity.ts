/**
 * Which part of a processor this process gets when it has work: 1 on a machine that is its own, less where others compete
 * for it or a container limits it. Measured from the time that the thread was busy, and the processor time that it got.
 */
import { performance } from 'node:perf_hooks'

const LOOK_EVERY_MS = 250
/** Less work than this is not meaningful. */
const MIN_BUSY_MS = 25
const LEAST = 0.05
/** Of the new value in each look. */
const WEIGHT = 0.3

export function createThreadCapacity(): () => number {
  let capacity = 1
  let before = measure()
  return () => {
    if (performance.now() - before.at < LOOK_EVERY_MS) return capacity
    const now = measure()
    const busyMs = now.busyMs - before.busyMs
    const gotMs = now.processorMs - before.processorMs
    before = now
    if (busyMs >= MIN_BUSY_MS) {
      const measured = Math.min(1, Math.max(LEAST, gotMs / busyMs))
      capacity += (measured - capacity) * WEIGHT
    }
    return capacity
  }
}

function measure() {
  const { user, system } = process.cpuUsage()
  return {
    at: performance.now(),
    busyMs: performance.eventLoopUtilization().active,
    processorMs: (user + system) / 1_000,
  }
}
