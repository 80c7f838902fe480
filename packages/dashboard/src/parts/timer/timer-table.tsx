/** Timers as rows: what they call, when they fire next, and how often they did. */
import { useContext } from 'preact/hooks'
import type { ChainResource, TimerResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenAddress } from '../../format/shorten.ts'
import { useWhyNot } from '../../live/rights.ts'
import { Service } from '../../live/service.ts'
import { nameCall } from '../../words/known-calls.ts'
import { ConfirmButton } from '../confirm-button.tsx'

interface TimerTableProps {
  readonly items: readonly TimerResource[]
  readonly chains: readonly ChainResource[]
}

export function TimerTable({ items, chains }: TimerTableProps) {
  return (
    <table class="table timer-table">
      <thead>
        <tr>
          <th scope="col">Timer</th>
          <th scope="col">Fires</th>
          <th scope="col">Calls</th>
          <th scope="col" class="is-number">
            Next
          </th>
          <th scope="col" class="is-number">
            Fired
          </th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {items.map((timer) => (
          <TimerRow
            key={timer.id}
            timer={timer}
            head={chains.find(({ chainId }) => chainId === timer.chainId)?.head?.number ?? null}
          />
        ))}
      </tbody>
    </table>
  )
}

function TimerRow({ timer, head }: { readonly timer: TimerResource; readonly head: number | null }) {
  const { api } = useContext(Service)
  const { id, name, to, data, dueHeight, fireCount, state, endReason } = timer
  // The page says why not, once for all of them.
  const mayChange = useWhyNot('send') === null
  return (
    <tr>
      <th scope="row" data-label="Timer">
        {name ?? <span class="mono">{id.slice(-8)}</span>}
        <span class="cell-note muted mono">from {shortenAddress(timer.from)}</span>
      </th>
      <td data-label="Fires">{describeSchedule(timer)}</td>
      <td data-label="Calls">
        <span class="mono">{shortenAddress(to)}</span>
        {data.length >= 10 && <span class="tag mono">{nameCall(data)}</span>}
      </td>
      <td data-label="Next" class="is-number">
        {dueHeight === null ? <span class="muted">–</span> : `block ${formatCount(dueHeight)}`}
        {dueHeight !== null && head !== null && (
          <span class="cell-note muted">{describeDistance(dueHeight - head)}</span>
        )}
      </td>
      <td data-label="Fired" class="is-number">
        {formatCount(fireCount)}
      </td>
      <td data-label="State">
        <span class={`tag ${state === 'ACTIVE' ? 'is-good' : ''}`} title={endReason ?? ''}>
          {state.toLowerCase()}
        </span>
        {mayChange && (state === 'ACTIVE' || state === 'PAUSED') && (
          <span class="row-actions">
            {state === 'ACTIVE' ? (
              <ConfirmButton
                name="Pause"
                effect="It does not fire until it is resumed. What it misses is not made up for."
                run={() => api.pauseTimer(id)}
              />
            ) : (
              <ConfirmButton
                name="Resume"
                effect="An interval counts from now, and a watch sees events from now on."
                run={() => api.resumeTimer(id)}
              />
            )}
            <ConfirmButton
              name="Cancel"
              effect="It fires no more. What it has already sent goes on."
              run={() => api.cancelTimer(id)}
            />
          </span>
        )}
      </td>
    </tr>
  )
}

function describeSchedule({ schedule }: TimerResource): string {
  switch (schedule.type) {
    case 'timeout':
      return 'once'
    case 'interval':
      return schedule.blocks === 1 ? 'every block' : `every ${formatCount(schedule.blocks)} blocks`
    case 'watch':
      return schedule.keys.length === 1 ? 'on an event' : `on ${formatCount(schedule.keys.length)} events`
    case 'cron':
      return `cron ${schedule.cron}`
  }
}

function describeDistance(blocks: number): string {
  if (blocks <= 0) return 'due now'
  return blocks === 1 ? 'in 1 block' : `in ${formatCount(blocks)} blocks`
}
