/**
 * How many of the places at one watched key, and at one called contract, a tenant may take: a share, so that it cannot
 * keep the others from a popular contract. The node that runs the timers decides, because it answers requests one after
 * the other: the share is exact, however many requests come together, and on whichever nodes.
 *
 * The kernel knows signers, not tenants. Who has which place is read only where there are so many timers that one tenant
 * could have its share, once for all requests that are answered together.
 */
import { paramsAt, type TimerParams, type TimerState } from '@drover/timers'
import { shareOf } from '../../core/access/tenant-share.ts'
import type { Address, Hex } from '../../core/hex.ts'
import type { KernelId, ManagedTimer, TimerId } from '../../core/timer/timer.ts'
import type { CommandAnswer, StoredCommand, TimerCommand } from '../../core/timer/timer-command.ts'
import type { TimerStore } from '../../ports/timer-store.ts'
import type { HostState } from './host-state.ts'

export interface TenantShares {
  /** Null: there is room, and the places are taken. */
  take(command: TimerCommand): (CommandAnswer & { readonly type: 'refused' }) | null
}

export const NO_SHARES: TenantShares = { take: () => null }

interface SharePorts {
  readonly chainId: number
  readonly store: Pick<TimerStore, 'countTimers' | 'readIncarnations'>
  /** Of all places. */
  readonly percent: number
}

interface Place {
  readonly tenant: string
  readonly at: { readonly key: Hex } | { readonly target: Address }
  /** Of all tenants together. */
  readonly size: number
  readonly share: number
}

type Timers = ReadonlyMap<TimerId, ManagedTimer>
export type ReadShares = (host: HostState, commands: readonly StoredCommand[], timers: Timers) => Promise<TenantShares>

const MAX_KEPT = 100_000
const READ_AT_ONCE = 5_000

export function createTenantShares({ chainId, store, percent }: SharePorts): ReadShares {
  const tenants = new Map<KernelId, string>()

  async function learnTenants(ids: readonly KernelId[]): Promise<void> {
    const unknown = ids.filter((id) => !tenants.has(id))
    for (let from = 0; from < unknown.length; from += READ_AT_ONCE)
      for (const { kernelId, tenant } of await store.readIncarnations(unknown.slice(from, from + READ_AT_ONCE)))
        tenants.set(kernelId, tenant)
  }

  function forgetOldest(): void {
    for (const id of tenants.keys()) {
      if (tenants.size <= MAX_KEPT) return
      tenants.delete(id)
    }
  }

  async function count({ kernel }: HostState, { tenant, at, share }: Place): Promise<number> {
    if ('target' in at) return await store.countTimers(chainId, { tenant, target: at.target }, share)
    const ids = listWatchers(kernel, at.key)
    await learnTenants(ids)
    return ids.filter((id) => tenants.get(id) === tenant).length
  }

  return async (host, commands, timers) => {
    const params = paramsAt(host.params, host.kernel.height)
    const placesOf = (command: TimerCommand) => listPlaces(command, timers, { params, percent })
    const wanted = new Map<string, { readonly place: Place; times: number }>()
    for (const place of commands.flatMap(({ command }) => placesOf(command))) {
      const same = wanted.get(nameOf(place)) ?? { place, times: 0 }
      same.times += 1
      wanted.set(nameOf(place), same)
    }
    const taken = new Map<string, number>()
    for (const [name, { place, times }] of wanted)
      if (countAll(host.kernel, place) + times > place.share) taken.set(name, await count(host, place))
    forgetOldest()
    return {
      take: (command) => {
        const places = placesOf(command)
        const full = places.find((place) => (taken.get(nameOf(place)) ?? 0) >= place.share)
        if (full !== undefined) return refuse(full)
        for (const name of places.map(nameOf)) if (taken.has(name)) taken.set(name, (taken.get(name) ?? 0) + 1)
        return null
      },
    }
  }
}

function nameOf({ tenant, at }: Place): string {
  return JSON.stringify([tenant, at])
}

/** The places that a command would take: of new and resumed timers, and of keys that a timer has not watched before. */
function listPlaces(
  command: TimerCommand,
  timers: Timers,
  { params, percent }: { readonly params: TimerParams; readonly percent: number },
): readonly Place[] {
  if (command.type !== 'set' && command.type !== 'reschedule') return []
  const before = timers.get(command.timerId)
  const tenant = (command.type === 'set' ? command.label?.tenant : undefined) ?? before?.tenant ?? ''
  // Without API keys there is one tenant.
  if (tenant === '') return []
  const place = (at: Place['at'], size: number): Place => ({ tenant, at, size, share: shareOf(size, percent) })
  const { target, schedule } = command.spec
  const held = command.type === 'reschedule' && before?.spec.schedule.type === 'watch' ? before.spec.schedule.keys : []
  const keys = schedule.type === 'watch' ? schedule.keys.filter((key) => !held.includes(key)) : []
  return [
    // Signers are no contracts, so every timer is foreign to its target, and those have half of the places.
    ...(command.type === 'set' ? [place({ target }, Math.floor(params.maxTimersPerTarget / 2))] : []),
    ...keys.map((key) => place({ key }, params.maxWatchersPerPrefix)),
  ]
}

function listWatchers({ indexWatch }: TimerState, key: Hex): readonly KernelId[] {
  return [...(indexWatch.get(key)?.entries() ?? [])].map(({ key: { timerId } }) => timerId)
}

function countAll({ indexWatch, targetTallies }: TimerState, { at }: Place): number {
  return 'key' in at ? (indexWatch.get(at.key)?.size ?? 0) : (targetTallies.get(at.target)?.live ?? 0)
}

function refuse({ at, size, share }: Place): CommandAnswer & { readonly type: 'refused' } {
  const [field, bound, what, instead] =
    'key' in at
      ? (['schedule', 'maxWatchersPerPrefix', `watch ${at.key}`, ', watch something narrower'] as const)
      : (['to', 'maxTimersPerTarget', `call ${at.target}`, ''] as const)
  const message = `Your tenant has ${share} timers that ${what}. That is its share of ${size} places (${bound}). Cancel one of them${instead}, or ask the operator to raise timerShare.`
  return { type: 'refused', code: 'ERR_TENANT_SHARE', message, field, bound, limit: share }
}
