/** The progress of a batch in one line: a bar on a terminal, the same numbers in a log. */
import type { Style } from '../output/style.ts'
import type { BoardCounts, Goal } from './board.ts'

export interface Pace {
  /** Rows that finished in this run, by second. */
  readonly perSecond: number
  /** Null: not known yet. */
  readonly secondsLeft: number | null
}

const BAR_WIDTH = 24
const NUMBER = new Intl.NumberFormat('en-US')

export function doneOf(counts: BoardCounts, goal: Goal): number {
  const reached = { accepted: counts.accepted, mined: counts.mined, confirmed: counts.confirmed }[goal]
  return Math.min(counts.total, reached + counts.failed)
}

/** Over the whole run so far: what a burst did in the last second says little about the rest. */
export function paceOf(doneNow: number, doneAtStart: number, total: number, elapsedMs: number): Pace {
  const perSecond = elapsedMs <= 0 ? 0 : ((doneNow - doneAtStart) * 1_000) / elapsedMs
  return { perSecond, secondsLeft: perSecond > 0 ? Math.ceil((total - doneNow) / perSecond) : null }
}

export function presentProgress(counts: BoardCounts, goal: Goal, pace: Pace, style: Style): string {
  const { total, accepted, mined, confirmed, failed, stuck } = counts
  const done = doneOf(counts, goal)
  const share = total === 0 ? 1 : done / total
  const parts = [
    `${Math.floor(share * 100)}%`,
    `accepted ${spell(accepted)}/${spell(total)}`,
    ...(goal === 'accepted' ? [] : [`mined ${spell(mined)}`]),
    ...(goal === 'confirmed' ? [`confirmed ${spell(confirmed)}`] : []),
    ...(failed > 0 ? [style.paint('red', `failed ${spell(failed)}`)] : []),
    ...(stuck > 0 ? [style.paint('yellow', `stuck ${spell(stuck)}`)] : []),
    `${pace.perSecond.toFixed(pace.perSecond < 10 ? 1 : 0)}/s`,
    ...(pace.secondsLeft === null || done === total ? [] : [`ETA ${spellClock(pace.secondsLeft)}`]),
  ]
  const line = parts.join('  ')
  if (style.width === null) return line
  const filled = Math.floor(share * BAR_WIDTH)
  return `${style.paint('green', '█'.repeat(filled))}${style.paint('dim', '░'.repeat(BAR_WIDTH - filled))} ${line}`
}

function spell(count: number): string {
  return NUMBER.format(count)
}

function spellClock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const pad = (number: number) => String(number).padStart(2, '0')
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`
}
