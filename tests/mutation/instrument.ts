/** Puts several mutants into one source text, each asleep until its number is called. */
import type { Mutant } from './find-mutants.ts'

export interface NumberedMutant extends Mutant {
  readonly id: number
}

/** Asks which one is awake, and notes that the place was passed. */
const AWAKE = `
function __isMutant(id) {
  const file = process.env.DROVER_AWAKE
  const read = () => Number(process.getBuiltinModule('node:fs').readFileSync(file, 'utf8'))
  const state = (globalThis.__mutants ??= { awake: file === undefined ? -1 : read(), passed: new Set() })
  if (state.awake >= 0) return id === state.awake
  state.passed.add(id)
  return false
}
`

/** Of one file, and none inside another. */
export function instrument(text: string, mutants: readonly NumberedMutant[]): string {
  let result = text
  for (const { id, start, end, original, mutated, isStatement } of mutants.toSorted((a, b) => b.start - a.start)) {
    if (text.slice(start, end) !== original) throw new Error(`the source has changed at ${start}: ${original}`)
    const either = `__isMutant(${id}) ? (${mutated}) : (${original})`
    // Without semicolons, a statement that begins with a bracket would belong to the line before.
    result = result.slice(0, start) + (isStatement ? either : `(${either})`) + result.slice(end)
  }
  return result + AWAKE
}
