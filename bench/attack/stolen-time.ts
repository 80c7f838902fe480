/**
 * How much of the processors the host gave to other machines. A request that was measured while others had them says
 * nothing about the service.
 */
import { existsSync, readFileSync } from 'node:fs'

const FILE = '/proc/stat'
const STOLEN = 7
const KINDS = 8
const EVERY_MS = 500
/** Counted as disturbed. The system counts in steps of 10 ms, so one step in half a second is 1 % of two processors. */
const MAX_SHARE = 0.02

export interface StolenWatch {
  /** Ends the watch. Null where the system does not tell. */
  end(): StolenReport | null
}

export interface StolenReport {
  /** Of the whole time. */
  readonly share: number
  /** Whether nobody else took more than 2 % of the processors between these two times, in seconds since the watch began. */
  isQuiet(from: number, to: number): boolean
}

export function watchStolen(): StolenWatch {
  const beganAt = performance.now()
  const looks = [look(beganAt)]
  const timer = setInterval(() => looks.push(look(beganAt)), EVERY_MS)
  return {
    end() {
      clearInterval(timer)
      looks.push(look(beganAt))
      const known = looks.filter((each) => each !== null)
      const [first, last] = [known[0], known.at(-1)]
      if (first === undefined || last === undefined) return null
      return {
        share: shareBetween(first, last),
        isQuiet: (from, to) =>
          known.every((each, index) => {
            const next = known[index + 1]
            return next === undefined || next.at < from || each.at > to || shareBetween(each, next) <= MAX_SHARE
          }),
      }
    },
  }
}

interface Look {
  readonly at: number
  readonly stolen: number
  readonly all: number
}

/** Ticks since the machine started. */
function look(beganAt: number): Look | null {
  if (!existsSync(FILE)) return null
  const [line = ''] = readFileSync(FILE, 'utf8').split('\n')
  const ticks = line
    .split(/\s+/)
    .slice(1, 1 + KINDS)
    .map(Number)
  const at = (performance.now() - beganAt) / 1_000
  return { at, stolen: ticks[STOLEN] ?? 0, all: ticks.reduce((sum, each) => sum + each, 0) }
}

function shareBetween(one: Look, other: Look): number {
  return (other.stolen - one.stolen) / Math.max(1, other.all - one.all)
}
