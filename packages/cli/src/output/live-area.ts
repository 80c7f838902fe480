/** A few lines at the bottom of a terminal that are drawn again in place. */
import { cut } from './style.ts'
import type { OutputStream } from './terminal.ts'

export interface LiveArea {
  draw(lines: readonly string[]): void
  /** Leaves what was drawn last where it is; the cursor stands below it. */
  close(): void
}

const USUAL_WIDTH = 80
const [HIDE_CURSOR, SHOW_CURSOR, CLEAR_DOWN] = ['\u001b[?25l', '\u001b[?25h', '\u001b[0J']
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /\u001b\[\d+m/g

export function createLiveArea(stream: OutputStream): LiveArea {
  let height = 0
  let before = ''
  return {
    draw(lines) {
      // A line that wraps would be two, and the next drawing would begin too low.
      const text = lines.map((line) => fitLine(line, (stream.columns ?? USUAL_WIDTH) - 1)).join('\n')
      if (text === before) return
      const up = height > 0 ? `\u001b[${height}A` : HIDE_CURSOR
      stream.write(`${up}\r${CLEAR_DOWN}${text}\n`)
      height = lines.length
      before = text
    },
    close() {
      if (height > 0) stream.write(SHOW_CURSOR)
      height = 0
    },
  }
}

/** A line that is too long loses its colours with its end: to cut between them is not worth it. */
function fitLine(line: string, width: number): string {
  const plain = line.replaceAll(COLOUR, '')
  return [...plain].length <= width ? line : cut(plain, width)
}
