/**
 * The last states of a chain's timers, one per block, and the commands applied since the oldest: what is needed to go
 * back to where a branch left the chain. States are immutable and share what they have in common, so keeping many costs
 * only what changed between them.
 */
import type { LoggedCommand } from '../../core/timer/timer-command.ts'
import type { HostState } from './host-state.ts'

export interface HostHistory {
  /** The state at the tip: after its block, and after the commands since. */
  tip(): HostState
  /** Oldest first. */
  states(): readonly HostState[]
  at(height: number): HostState | null
  /** Commands of the log above a height, in order. */
  commandsAbove(height: number): readonly LoggedCommand[]
  /** The next block. */
  push(host: HostState): void
  /** Commands at the tip. */
  amend(host: HostState, commands: readonly LoggedCommand[]): void
  /** Goes back to this height; commands stay, because they are applied again. */
  rewind(height: number): void
  oldest(): HostState
  forgetBelow(height: number): void
}

export function createHostHistory(first: HostState, keep: number): HostHistory {
  let states: HostState[] = [first]
  let commands: LoggedCommand[] = []
  const heightOf = ({ tip }: HostState): number => tip?.height ?? -1
  const tip = (): HostState => states.at(-1) as HostState

  function prune(): void {
    if (states.length <= keep + keep / 2) return
    states = states.slice(-keep)
    const from = heightOf(states[0] as HostState)
    commands = commands.filter(({ height }) => height > from)
  }

  return {
    tip,
    states: () => states,
    oldest: () => states[0] as HostState,
    at: (height) => states.find((host) => heightOf(host) === height) ?? null,
    commandsAbove: (height) => commands.filter((command) => command.height > height),
    push: (host) => {
      states.push(host)
      prune()
    },
    amend: (host, added) => {
      states[states.length - 1] = host
      // One by one: as arguments of one call they would have to fit on the stack.
      for (const command of added) commands.push(command)
    },
    forgetBelow: (height) => {
      states = states.filter((host) => heightOf(host) >= height)
    },
    rewind: (height) => {
      states = states.filter((host) => heightOf(host) <= height)
    },
  }
}
