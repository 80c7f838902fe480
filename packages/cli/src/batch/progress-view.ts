/** Shows the progress of a batch on standard error: redrawn on a terminal, now and then a line elsewhere, nothing with JSON. */
import { createLiveArea } from '../output/live-area.ts'
import { createStyle, PLAIN } from '../output/style.ts'
import type { Session } from '../service/service-session.ts'
import type { Board, Goal } from './board.ts'
import { doneOf, paceOf, presentProgress } from './present-progress.ts'

export interface ProgressView {
  /** May be called as often as you like. */
  update(): void
  close(): void
}

const REDRAW_MS = 100
const LINE_MS = 5_000

export function createProgressView(session: Session, board: Board, goal: Goal): ProgressView {
  const { terminal, json, note } = session
  if (json) return { update: () => undefined, close: () => undefined }
  const isLive = terminal.stderr.isTTY === true
  const style = isLive ? createStyle(terminal.stderr, terminal.env, session.colour) : PLAIN
  const area = createLiveArea(terminal.stderr)
  const startedAt = performance.now()
  const doneAtStart = doneOf(board.counts(), goal)
  let shownAt = isLive ? Number.NEGATIVE_INFINITY : startedAt

  function show(): void {
    shownAt = performance.now()
    const counts = board.counts()
    const pace = paceOf(doneOf(counts, goal), doneAtStart, counts.total, shownAt - startedAt)
    const line = presentProgress(counts, goal, pace, style)
    if (isLive) area.draw([line])
    else note(line)
  }

  return {
    update() {
      if (performance.now() - shownAt >= (isLive ? REDRAW_MS : LINE_MS)) show()
    },
    close() {
      show()
      area.close()
    },
  }
}
