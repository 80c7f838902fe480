/** How text looks on this terminal: as wide as the window, in colour where that is wanted; everywhere else plain and whole. */
import { styleText } from 'node:util'
import type { Environment } from '@drover/server/settings'
import type { OutputStream } from './terminal.ts'

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'

export interface Style {
  /** Null: not a terminal, so nothing is cut. */
  readonly width: number | null
  paint(colour: Colour, text: string): string
}

const USUAL_WIDTH = 80

export const PLAIN: Style = { width: null, paint: (_, text) => text }

export function createStyle(stream: OutputStream, env: Environment, wantsColour: boolean): Style {
  if (stream.isTTY !== true) return PLAIN
  // Any value but an empty one, as https://no-color.org asks.
  const hasColour = wantsColour && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  return {
    get width() {
      return stream.columns ?? USUAL_WIDTH
    },
    // Not by Node's own judgement, which looks at the stream and the environment of the process.
    paint: (colour, text) => (hasColour && text !== '' ? styleText(colour, text, { validateStream: false }) : text),
  }
}

/** What the service answers is text of others: nothing in it may move the cursor or change the terminal. */
export function toVisible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\ufffd',
  )
}

export function cut(text: string, width: number): string {
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`
}

const LONG_HEX = /^0x[0-9a-fA-F]{40,}$/

/** Addresses and hashes by their ends; only for people on a terminal, who can ask for the whole. */
export function shorten(text: string, style: Style): string {
  return style.width !== null && LONG_HEX.test(text) ? `${text.slice(0, 8)}…${text.slice(-6)}` : text
}
