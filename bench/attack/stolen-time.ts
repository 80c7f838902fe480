/** How much of the processors the host gave to other machines. A figure from a run with much of it says little. */
import { existsSync, readFileSync } from 'node:fs'

const FILE = '/proc/stat'
const STOLEN = 7
const KINDS = 8

/** In the same unit, since the machine started; null where the system does not tell. */
export function readStolen(): { readonly stolen: number; readonly all: number } | null {
  if (!existsSync(FILE)) return null
  const [line = ''] = readFileSync(FILE, 'utf8').split('\n')
  const ticks = line
    .split(/\s+/)
    .slice(1, 1 + KINDS)
    .map(Number)
  return { stolen: ticks[STOLEN] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) }
}
