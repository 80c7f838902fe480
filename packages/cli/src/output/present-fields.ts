/** One thing as lines of name and value. What is null is left out: a person asks what there is. */
import { type Style, toVisible } from './style.ts'

export type Field = readonly [name: string, value: string | number | boolean | null | undefined]

export function presentFields(fields: readonly Field[], style: Style): string {
  const present = fields.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(...present.map(([name]) => name.length))
  return present
    .map(([name, value]) => `${style.paint('dim', name.padEnd(width))}  ${toVisible(String(value))}`)
    .join('\n')
}
