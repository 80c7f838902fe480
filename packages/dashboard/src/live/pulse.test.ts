import { describe, expect, test } from 'vitest'
import { ServiceAway } from '../api/api-failure.ts'
import { BEAT_MS, createPulse, MAX_PAUSE_MS } from './pulse.ts'

/** A clock that is moved by hand, and a page that is hidden and shown by hand. */
function createStage() {
  let now = 1_000_000
  let isVisible = true
  let tellVisibility = () => {}
  let due: { at: number; run: () => void } | null = null
  const reported: unknown[] = []
  const pulse = createPulse({
    now: () => now,
    schedule(delayMs, run) {
      const entry = { at: now + delayMs, run }
      due = entry
      return () => {
        if (due === entry) due = null
      }
    },
    isVisible: () => isVisible,
    onVisibilityChange: (listener) => {
      tellVisibility = listener
    },
    report: (error) => void reported.push(error),
  })
  return {
    pulse,
    reported,
    pauseMs: () => (due === null ? null : due.at - now),
    setVisible(next: boolean) {
      isVisible = next
      tellVisibility()
    },
    /** Moves to the next beat and lets it end. */
    async beat() {
      const next = due
      if (next === null) throw new Error('no beat is due')
      due = null
      now = next.at
      next.run()
      await settle()
    },
    settle,
  }
}

/** Lets everything that is ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

describe('while the service answers', () => {
  test('every task runs once per beat, a second apart', async () => {
    const { pulse, beat, pauseMs } = createStage()
    const runs = { a: 0, b: 0 }
    pulse.join(async () => void runs.a++)
    pulse.join(async () => void runs.b++)
    expect(pauseMs()).toBe(0)
    await beat()
    expect(runs).toEqual({ a: 1, b: 1 })
    expect(pulse.status()).toEqual({ type: 'live' })
    expect(pauseMs()).toBe(BEAT_MS)
  })

  test('a removed task does not run any more', async () => {
    const { pulse, beat } = createStage()
    let runs = 0
    const leave = pulse.join(async () => void runs++)
    await beat()
    leave()
    await beat()
    expect(runs).toBe(1)
  })

  test('beats do not overlap: a task that joins during one runs right after', async () => {
    const { pulse, beat, pauseMs, settle } = createStage()
    let finish = () => {}
    let slowRuns = 0
    let lateRuns = 0
    pulse.join(() => {
      slowRuns++
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    await beat()
    pulse.join(async () => void lateRuns++)
    expect({ slowRuns, lateRuns, pause: pauseMs() }).toEqual({ slowRuns: 1, lateRuns: 0, pause: null })
    finish()
    await settle()
    expect(pauseMs()).toBe(0)
    await beat()
    expect({ slowRuns, lateRuns }).toEqual({ slowRuns: 2, lateRuns: 1 })
  })

  test('a bug in one task is reported and stops nothing', async () => {
    const { pulse, beat, reported, pauseMs } = createStage()
    const bug = new Error('bug')
    pulse.join(async () => {
      throw bug
    })
    await beat()
    expect(reported).toEqual([bug])
    expect(pauseMs()).toBe(BEAT_MS)
  })
})

describe('while the service is away', () => {
  test('pauses grow to a limit, the status says since when, and one answer ends it', async () => {
    const { pulse, beat, pauseMs } = createStage()
    let isAway = false
    pulse.join(async () => {
      if (isAway) throw new ServiceAway('Drover does not respond.')
    })
    await beat()
    isAway = true
    const pauses: (number | null)[] = []
    for (let failure = 0; failure < 7; failure++) {
      await beat()
      pauses.push(pauseMs())
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, MAX_PAUSE_MS, MAX_PAUSE_MS, MAX_PAUSE_MS])
    expect(pulse.status()).toMatchObject({ type: 'away', reason: 'Drover does not respond.', since: 1_000_000 })
    isAway = false
    await beat()
    expect(pulse.status()).toEqual({ type: 'live' })
    expect(pauseMs()).toBe(BEAT_MS)
  })

  test('asking by hand does not wait for the pause to end', async () => {
    const { pulse, beat, pauseMs } = createStage()
    pulse.join(async () => {
      throw new ServiceAway('away')
    })
    for (let failure = 0; failure < 4; failure++) await beat()
    expect(pauseMs()).toBe(8_000)
    pulse.beatSoon()
    expect(pauseMs()).toBe(0)
  })
})

describe('while the page is hidden', () => {
  test('there are no beats; the first comes at once when it is shown', async () => {
    const { pulse, beat, pauseMs, setVisible, settle } = createStage()
    let runs = 0
    pulse.join(async () => void runs++)
    await beat()
    setVisible(false)
    expect(pauseMs()).toBeNull()
    setVisible(true)
    await settle()
    expect(runs).toBe(2)
  })

  test('a beat that ends while hidden is the last one', async () => {
    const { pulse, beat, pauseMs, setVisible, settle } = createStage()
    let finish = () => {}
    let runs = 0
    pulse.join(() => {
      runs++
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    await beat()
    setVisible(false)
    finish()
    await settle()
    if (pauseMs() !== null) await beat()
    expect({ runs, pause: pauseMs() }).toEqual({ runs: 1, pause: null })
  })
})
